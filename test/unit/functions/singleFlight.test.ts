import { singleFlight } from "../../../provider/functions/query";
import { VirtualClock } from "../../support/virtualClock";

const service = { name: "one" };

/** Counts how often the service is really asked. */
function open(keptMs: number) {
  const clock = new VirtualClock();
  const share = singleFlight<typeof service, { asked: number }>(keptMs, clock);
  let asked = 0;
  const ask = async () => {
    await clock.sleep(100);
    asked += 1;
    if (asked === 1 && keptMs === 1) throw new Error("try later");
    return { asked };
  };
  return { clock, share: () => share(service, "types", ask) };
}

describe("a question", () => {
  it("is answered as before for a while", async () => {
    const { clock, share } = open(10_000);
    await clock.run(share());
    await clock.run(clock.sleep(9_999));
    expect(await clock.run(share())).toEqual({ asked: 1 });
    await clock.run(clock.sleep(2));
    expect(await clock.run(share())).toEqual({ asked: 2 });
  });

  it("that could not be answered is asked again, by those who come after that", async () => {
    const { clock, share } = open(1);
    const both = await clock.run(Promise.allSettled([share(), share()]));
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await clock.run(share())).toEqual({ asked: 2 });
  });

  it("is asked once by all who ask it at the same time, and each gets a copy of the answer", async () => {
    const { clock, share } = open(10_000);
    const both = await clock.run(Promise.all([share(), share()]));
    expect(both).toEqual([{ asked: 1 }, { asked: 1 }]);
    for (const answer of both) answer.asked = 99;
    expect(await clock.run(share())).toEqual({ asked: 1 });
  });
});
