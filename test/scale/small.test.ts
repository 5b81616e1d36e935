import { Stacks, stacksOf } from "./stacks";

jest.setTimeout(8 * 60_000);

/** The stacks of the other files begin now, which takes all cores for some seconds. */
const startsOfOthersMs = 20_000;

/**
 * A large fleet leaves a tenth of a window to others, and its polls half of that (docs/decisions/share-of-a-key.md). Two small
 * stacks need more than is left, so they end in the next window: a window of a minute, and the 40 s that they take alone here.
 */
const maxMs = 60_000 + 40_000;

test("two stacks of one cluster beside one of 150 end in the next window at the latest", async () => {
  const small = stacksOf(2, 1);
  const stacks = await Stacks.open([{ name: "large", count: 150 }, ...small], {
    rateLimit: 100,
    provisioningMs: 5_000,
  });
  await new Promise((done) => setTimeout(done, startsOfOthersMs));
  const large = stacks.start("large");
  // On a busy machine, the large stack takes much longer to start than the small ones.
  while (stacks.simulator.clusters().length === 0) await new Promise((done) => setTimeout(done, 100));
  const runs = await Promise.all(small.map(({ name }) => stacks.up(name)));
  console.info(`small stacks: ${runs.map((run) => `${(run.endMs - run.startMs) / 1_000} s`).join(", ")}`);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  for (const run of runs) expect(run.endMs - run.startMs).toBeLessThan(maxMs);
  // What they ended beside; how it ends is not the subject.
  expect(stacks.simulator.clusters().length).toBeGreaterThan(25);
  large.signal("SIGINT");
  await large.ended;
  await stacks.close();
});
