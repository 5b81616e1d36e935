import * as bad from "./badAnswers";
import { type BadAnswer, refusals, telling, unnamed, unreadable, withoutId } from "./badAnswers";
import {
  closeSpoiled,
  createSpoiled,
  expectCreated,
  expectIdKept,
  expectKnown,
  idsOf,
  lost,
  posts,
  type Spoil,
  threeTimes,
} from "./badAnswersHarness";

afterEach(closeSpoiled);

const notKey = ([title]: BadAnswer) => !/^a 40[13]/.test(title);
const isLost = ([title]: BadAnswer) => /^a 5(?!01)/.test(title);
const slow = { provisioningMs: 4_000 };

/** What a bad answer is given to, and what comes of it. */
const laws: [sentence: string, answers: readonly BadAnswer[], law: (spoil: Spoil) => Promise<void>][] = [
  [
    "a creation finds its one cluster in the list",
    [
      ...unreadable,
      ...withoutId,
      ...unnamed,
      ...bad.oddRecords,
      ...bad.brokenWire,
      ...bad.oddWire,
      ...refusals.filter(isLost),
    ],
    async (spoil) => expectCreated(await createSpoiled({ create: spoil })),
  ],
  [
    "a creation whose lists are like that too names what may exist",
    telling,
    async (spoil) => {
      const result = await createSpoiled({ create: spoil, list: [spoil, { after: 1 }] });
      expect(result.text).toMatch(
        /^cluster "web" may have been created, but its id is not known: .*check the service for the name/,
      );
      expectKnown(result);
    },
  ],
  [
    "a creation that made nothing is not sent again, and the error says that nothing was found",
    telling,
    async (spoil) => {
      const result = await createSpoiled({ create: [spoil, { effect: false, times: 1 }] });
      expect(result.text).toMatch(
        /^cluster "web" may have been created, but its id is not known: .*no list of clusters/,
      );
      expect([posts(result), result.kept.id, idsOf(result)]).toEqual([0, undefined, []]);
    },
  ],
  [
    "a creation that is refused by it is one clear line, and never a second cluster",
    refusals,
    async (spoil) => {
      const result = await createSpoiled({ create: [spoil, { effect: false }] });
      expect(result.text).toContain('cluster "web"');
      expect([result.kept.id, idsOf(result)]).toEqual([undefined, []]);
    },
  ],
  [
    "a creation before which the list is that buys nothing, and says why",
    telling,
    async (spoil) => {
      const result = await createSpoiled({ list: spoil });
      expect(result.text).toContain("GET /v1/clusters");
      expect(posts(result)).toBe(0);
    },
  ],
  [
    "a lost answer to a creation, after which the list shows that, finds the cluster or names it",
    bad.oddLists,
    async (spoil) =>
      expectKnown(
        await createSpoiled({ create: lost, list: [spoil, { after: 1 }] }, { dialect: { listShape: "bare" } }),
      ),
  ],
  [
    "a wait with three such polls of the cluster ends ready",
    [
      ...unreadable,
      ...withoutId,
      ...unnamed,
      ...refusals.filter(notKey),
      ...bad.words,
      ...bad.brokenWire,
      ...bad.oddWire,
    ],
    async (spoil) => expectCreated(await createSpoiled({ get: [spoil, threeTimes] }, slow)),
  ],
  [
    "a wait with three such polls of the replicas ends ready",
    [...telling, ...bad.replicaLists],
    async (spoil) => expectCreated(await createSpoiled({ status: [spoil, threeTimes] }, slow)),
  ],
  [
    "a wait with no other polls of the cluster keeps the id",
    [...telling, ...refusals],
    async (spoil) => expectIdKept(await createSpoiled({ get: spoil }, { timeoutMs: 4_000 })),
  ],
  [
    "a wait with no other polls of the replicas keeps the id",
    bad.replicaLists,
    async (spoil) => expectIdKept(await createSpoiled({ status: spoil }, { timeoutMs: 4_000 })),
  ],
];

describe.each(laws)("%s, if it is answered with", (_sentence, answers, law) => {
  it.each(answers)("%s", (_title, spoil) => law(spoil));
});
