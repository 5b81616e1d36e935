import { Stacks, stacksOf } from "./stacks";

jest.setTimeout(8 * 60_000);

const provisioningMs = 150_000;

test("eight stacks that wait return soon after ready, and a ninth does not wait for them", async () => {
  const waiting = stacksOf(8, 1);
  const stacks = await Stacks.open([...waiting, { name: "ninth", count: 1 }], { rateLimit: 100, provisioningMs });
  const runs = Promise.all(waiting.map(({ name }) => stacks.up(name)));
  await new Promise((done) => setTimeout(done, 75_000));
  const ninth = stacks.up("ninth");
  const lags = (await runs).map(({ endMs, code }, index) => {
    expect(code).toBe(0);
    return endMs - (stacks.createdMs(`s${index}`)[0] ?? 0) - provisioningMs;
  });
  const { startMs, code } = await ninth;
  const atMs = stacks.createdMs("ninth")[0] ?? 0;
  const createdMs = atMs - startMs;
  const [atStart, atCreation] = [startMs, atMs].map((ms) => stacks.windowAt(ms, 60_000));
  const { sent, refused } = stacks.traffic();
  await stacks.close();
  console.info(
    `lags ${lags.join(", ")} ms; the ninth has created after ${createdMs} ms, ${atMs - (atCreation?.beganMs ?? 0)} ms into a ` +
      `window, and after ${atStart?.used} requests in the window in which it began; ${refused * sent} of ${sent} refused`,
  );
  expect(code).toBe(0);
  // The CLI and the programs take some of it, on a busy machine: unit/cluster/sharedKey.test.ts holds 10 s and 5 s.
  expect(Math.max(...lags)).toBeLessThan(15_000);
  expect(createdMs).toBeLessThan(30_000);
});
