import type { Row } from "./rows";
import { tableOf } from "./table";
import type { Miss } from "./targets";

const begin = "<!-- benchmark: written by `npm run bench` -->";
const end = "<!-- /benchmark -->";

/** Shows only fleets that a rate limit makes hard. */
const isShown = ({ kind, who, clusters }: Row) => kind === "up" && clusters >= 100 && who !== "hasty";

/** The README with the present figures. */
export function withBenchmark(readme: string, rows: readonly Row[], misses: readonly Miss[]): string {
  const [before, rest] = readme.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The README has no lines "${begin}" and "${end}".`);
  return `${before}${begin}\n${tableOf(rows.filter(isShown), misses)}\n${end}${after}`;
}
