import { Stacks, stacksOf } from "./stacks";

jest.setTimeout(8 * 60_000);

const provisioningMs = 80_000;
const [rateLimit, windowMs] = [100, 60_000];
/** Minimum number of requests of a window that is left to runs that have just begun. */
const minPermits = 10;

test("eight stacks that wait return soon after ready, and a ninth does not wait for them", async () => {
  const waiting = stacksOf(8, 1);
  const stacks = await Stacks.open([...waiting, { name: "ninth", count: 1 }], { rateLimit, provisioningMs });
  const runs = Promise.all(waiting.map(({ name }) => stacks.up(name)));
  await new Promise((done) => setTimeout(done, 40_000));
  const ninth = stacks.up("ninth");
  const lags = (await runs).map(({ endMs, code }, index) => {
    expect(code).toBe(0);
    return endMs - (stacks.createdMs(`s${index}`)[0] ?? 0) - provisioningMs;
  });
  const { startMs, code } = await ninth;
  const createdMs = stacks.createdMs("ninth")[0] ?? 0;
  const requests = stacks.untilCreation("ninth");
  const begunMs = Date.parse(requests[0]?.time ?? "");
  const waitedMs = requests.reduce((sum, request) => sum + request.waitedMs, 0);
  const window = stacks.windowAt(begunMs, windowMs);
  const isFree = window.used <= rateLimit - minPermits;
  const freeInMs = isFree ? 0 : window.beganMs + windowMs - begunMs;
  const { sent, refused } = stacks.traffic();
  await stacks.close();
  console.info(
    `lags ${lags.join(", ")} ms; the ninth has created ${createdMs - startMs} ms after its start and ${createdMs - begunMs} ms ` +
      `after its first request, of which its ${requests.length} requests waited ${waitedMs} ms, after ${window.used} others in ` +
      `the window, which was free after ${freeInMs} ms; ${refused * sent} of ${sent} refused`,
  );
  expect(code).toBe(0);
  // The CLI and the programs take some of it, on a busy machine: unit/cluster/wait/sharedKey.test.ts holds 10 s.
  expect(Math.max(...lags)).toBeLessThan(15_000);
  expect(requests.at(-1)?.method).toBe("POST");
  expect(waitedMs).toBeLessThan(freeInMs + 5_000);
});
