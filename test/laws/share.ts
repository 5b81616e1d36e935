import { isEverything } from "../support/shares";
import { allLives } from "./lives";
import { judgeLives, story, summaryOf } from "./world";

/** One of so many in a run of the tests that is not everything. */
const sampled = 25;

/** Declares the test of a half of all lives, so that two cores share the work. */
export function testLives(half: 0 | 1): void {
  const { LIFE, LAWS_SAMPLE } = process.env;
  if (LIFE !== undefined) {
    it("a life alone", async () => {
      if (half === 0) process.stdout.write(`${await story(LIFE)}\n`);
    });
    return;
  }
  const every = LAWS_SAMPLE === undefined ? (isEverything ? 1 : sampled) : Number(LAWS_SAMPLE);
  it("keep the laws of an update", async () => {
    const lives = allLives().filter((_, index) => index % 2 === half && Math.floor(index / 2) % every === 0);
    const groups = await judgeLives(lives);
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    const summary = groups.length > 0 ? `${count} violations in ${lives.length} lives\n${summaryOf(groups)}` : "";
    expect(summary).toBe("");
  }, 1_800_000);
}
