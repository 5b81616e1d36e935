import { messageOf, RequestError, ResponseShapeError } from "../../errors";
import { UnreadableError } from "./json";
import { nextPage, pageNumber } from "./pages";

/** One answer, as far as a list needs it. */
export interface Answer {
  readonly json: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** How long its text is. */
  readonly length?: number;
}

/** Asks for the first page, or for the one of a query; `accepts` throws for one that cannot be read. */
export type GetPage = (query?: string, accepts?: (answer: Answer) => void) => Promise<Answer>;

/** One page that was read. */
export interface ReadPage<Item> extends Answer {
  readonly items: readonly Item[];
  /** The page's own records, as they stand in the answer. */
  readonly members: ReadonlySet<unknown>;
  /** How many records it has, those among them that cannot be read. */
  readonly count: number;
  /** False when it may have more records than these. */
  readonly sure: boolean;
}

/** All pages of a list. */
export interface Walk<Item> {
  readonly items: readonly Item[];
  /** False when there may be more than `items`. */
  readonly complete: boolean;
  /** Why the list could not be followed to its end, where that is not just unknown. */
  readonly problem?: string;
}

/**
 * The end of a list that never ends: far more than any organization has. The texts are those of eight answers of the largest
 * size that is read, which fit into the memory of any process.
 */
const most = { pages: 1_000, records: 10_000, length: 8 * 8 * 1024 * 1024 };

/**
 * Follows a list page by page to its end. The first page has to be readable; what cannot be had of the others leaves the
 * list incomplete, with the reason.
 */
export async function walkPages<Item>(
  get: GetPage,
  read: (answer: Answer) => ReadPage<Item>,
  keyOf: (item: Item) => string,
): Promise<Walk<Item>> {
  const found = new Map<string, Item>();
  const asked = new Set<string>();
  let page = await pageOf(get, read);
  const firstNumber = pageNumber(page) ?? 1;
  let isSure = true;
  let length = 0;
  for (let soFar = 0; ; ) {
    const fresh = page.items.filter((item) => !found.has(keyOf(item)));
    for (const item of fresh) found.set(keyOf(item), item);
    isSure &&= page.sure;
    soFar += page.count;
    length += page.length ?? 0;
    const walked = (more: Partial<Walk<Item>>): Walk<Item> => ({
      items: [...found.values()],
      complete: false,
      ...more,
    });
    const next = nextPage({ ...page, soFar, firstNumber });
    // What moved from page to page while they were read may hide something else that did so.
    if (next.kind !== "page") return walked({ complete: isSure && next.kind === "end" && found.size === soFar });
    const isRepeated = asked.has(next.query) || (page.count > 0 && fresh.length === 0);
    if (isRepeated) return walked({ problem: repeats });
    const isFull = asked.size >= most.pages || found.size >= most.records || length >= most.length;
    if (isFull) return walked({ problem: tooLong });
    asked.add(next.query);
    try {
      page = await pageOf(get, read, next.query);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return walked({ problem: `${unlisted}: ${messageOf(error)}` });
    }
  }
}

async function pageOf<Item>(get: GetPage, read: (answer: Answer) => ReadPage<Item>, query?: string) {
  const held: { page?: ReadPage<Item> } = {};
  const answer = await get(query, (each) => {
    held.page = read(each);
  });
  return { ...(held.page ?? read(answer)), length: answer.length };
}

const repeats = "the service answers the same page again and again";
const tooLong = `it goes on after ${most.records} records, ${most.pages} pages or 64 MiB, which is all that is read of a list`;
const unlisted = "the service shows that there is more, but not how to list it";

/** A page that the service will not give, or that cannot be read, stays so; anything else is worth another attempt. */
function isRefusal(error: unknown): boolean {
  const isRefused = error instanceof RequestError && error.outcome === "refused";
  return isRefused || error instanceof ResponseShapeError || error instanceof UnreadableError;
}
