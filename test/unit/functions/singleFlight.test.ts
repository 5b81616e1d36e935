import { singleFlight } from "../../../provider/functions/dataFunctions";
import { VirtualClock } from "../../support/virtualClock";

const service = { name: "one" };

/** Counts the requests that reach the service. */
function open(keptMs: number) {
  const clock = new VirtualClock();
  const share = singleFlight<typeof service, { sent: number }>(keptMs, clock);
  let sent = 0;
  const request = async () => {
    await clock.sleep(100);
    sent += 1;
    if (sent === 1 && keptMs === 1) throw new Error("try later");
    return { sent };
  };
  return { clock, share: () => share(service, "types", request) };
}

describe("a shared request", () => {
  it("is answered from the cache for a while", async () => {
    const { clock, share } = open(10_000);
    await clock.run(share());
    await clock.run(clock.sleep(9_999));
    expect(await clock.run(share())).toEqual({ sent: 1 });
    await clock.run(clock.sleep(2));
    expect(await clock.run(share())).toEqual({ sent: 2 });
  });

  it("is sent again after a failure", async () => {
    const { clock, share } = open(1);
    const both = await clock.run(Promise.allSettled([share(), share()]));
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await clock.run(share())).toEqual({ sent: 2 });
  });

  it("is sent once for simultaneous calls, each of which gets a copy of the answer", async () => {
    const { clock, share } = open(10_000);
    const both = await clock.run(Promise.all([share(), share()]));
    expect(both).toEqual([{ sent: 1 }, { sent: 1 }]);
    for (const answer of both) answer.sent = 99;
    expect(await clock.run(share())).toEqual({ sent: 1 });
  });
});
