import { type Permit, type RateHeaders, RateWindow } from "../../../provider/api/rateWindow";

const guardMs = 1_000;
const answer = (remaining: number, resetInMs = 60_000, limit = 100): RateHeaders => ({ limit, remaining, resetInMs });

/** A window at a time that the test sets. */
function bench() {
  const window = new RateWindow();
  let nowMs = 0;
  return {
    window,
    at: (ms: number) => {
      nowMs = ms;
      window.turnOver(ms);
    },
    send: () => window.send(nowMs),
    end: (permit: Permit, headers?: RateHeaders) =>
      window.end(permit, headers && { headers, isRefused: false }, nowMs, guardMs),
    left: () => window.standing(nowMs)?.left,
    endMs: () => nowMs + (window.standing(nowMs)?.resetInMs ?? Number.NaN),
  };
}

/** How many may be in flight besides those that are. */
function places(window: RateWindow, send: () => unknown): number {
  let count = 0;
  for (; window.hasPlace("change"); count += 1) send();
  return count;
}

test("a request in flight may not be counted yet, so it is subtracted; and added again once it has arrived", () => {
  const { at, send, end, left } = bench();
  end(send(), answer(9));
  const old = [send(), send(), send()];
  at(61_000);
  const probe = send();
  end(probe, answer(96));
  expect(left()).toBe(93);
  // They were counted before the probe was.
  for (const permit of old) end(permit);
  end(send(), answer(95));
  expect(left()).toBe(95);
});

test("an answer with a high latency does not give back permits that others have used since", () => {
  const { send, end, left } = bench();
  end(send(), answer(99));
  const [slow, quick] = [send(), send()];
  end(quick, answer(50));
  expect(left()).toBe(50);
  end(slow, answer(98));
  expect(left()).toBe(50);
});

test("the permits of the service's next window wait until this one is surely over", () => {
  const { at, send, end, left, endMs } = bench();
  end(send(), answer(50));
  at(60_500);
  end(send(), answer(99));
  expect([left(), endMs()]).toEqual([49, 61_000]);
  at(61_000);
  expect(left()).toBeUndefined();
});

test("if the end moves with what is counted, the end that belongs to a count is kept with it", () => {
  const { at, send, end, left, endMs } = bench();
  const old = send();
  at(61_000);
  const probe = send();
  const slow = send();
  end(probe, answer(10, 10_000));
  expect([left(), endMs()]).toEqual([8, 61_000 + 10_000 + guardMs]);
  end(old);
  end(send(), answer(9, 11_000));
  const expected = [8, 61_000 + 11_000 + guardMs];
  expect([left(), endMs()]).toEqual(expected);
  end(slow, answer(10, 2_000));
  expect([left(), endMs()]).toEqual(expected);
});

test("before anything is known of a window, no more are on their way than the limit", () => {
  const { window, at, send, end } = bench();
  end(send(), answer(2, 60_000, 3));
  send();
  send();
  at(61_000);
  expect(window.hasPlace("urgent")).toBe(true);
  send();
  expect(window.hasPlace("urgent")).toBe(false);
});

test.each([
  ["alone, five, however little is left", 99 - 90, 90, 5],
  ["with others, five while much is left", 60, 0, 5],
  ["with others, three of twenty", 20, 0, 3],
  ["with others, one of the last few", 3, 0, 1],
])("%s are in flight besides the one for urgent requests", (_what, remaining, spent, expected) => {
  const { window, send, end } = bench();
  end(send(), answer(99));
  for (let count = 0; count < spent; count += 1) end(send());
  end(send(), answer(remaining - (spent > 0 ? 1 : 0)));
  expect(places(window, send)).toBe(expected);
  expect(window.hasPlace("urgent")).toBe(true);
});
