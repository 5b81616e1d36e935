import { type Properties, UNKNOWN } from "../../../provider/core";
import { type Bench, type BenchOptions, closeAll, failureOf, openBench, requestLines, settle } from "./harness";
import { checked } from "./inputs";

afterEach(closeAll);

/** Clusters that one key has made, and what another one finds out about them before a difference. */
async function openStrangers(options: BenchOptions = {}, names = ["web"]) {
  const bench = await openBench(options);
  const made = [];
  for (const name of names) made.push(await settle(bench, { ...checked, name }));
  return { bench, made, other: bench.as("another") };
}

type Made = Awaited<ReturnType<typeof settle>>;
const look = (bench: Bench, cluster: Bench["cluster"], { id, state }: Made, news: Properties = checked) =>
  bench.run(cluster.recognize(bench.ctx(), id, state, news));

const warnings = ({ said }: Bench) => said.filter((line) => line.startsWith("warning"));

describe("before a difference, a cluster that", () => {
  it("the same key saw last is not looked up", async () => {
    const { bench, made } = await openStrangers();
    for (const cluster of made) await look(bench, bench.cluster, cluster);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("another key saw last, and this one knows, passes in silence: one list for all of them", async () => {
    const { bench, made, other } = await openStrangers({}, ["a", "b", "c"]);
    for (const cluster of made) await look(bench, other, cluster);
    expect(bench.said).toEqual([]);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it("another key saw last, and this one does not know, is an error that says what to do", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.change(made[0]?.id ?? "", { status: "gone" });
    for (const cluster of made) {
      const { message } = await failureOf(look(bench, other, cluster));
      expect(message).toMatch(
        /^cluster "web" \(cl_\w+\) is not known to this service and API key.*last seen under others/,
      );
      expect(message).toMatch(/pulumi state delete 'urn:/);
    }
  });

  it.each<[string, Properties]>([
    ["no service is named for yet", { ...checked, connection: UNKNOWN }],
    ["no key is remembered for", { ...checked }],
  ])("%s is not looked up", async (_title, news) => {
    const { bench, made, other } = await openStrangers();
    const seen = news["connection"] ? {} : { __seenBy: undefined };
    for (const { id, state } of made) await look(bench, other, { id, state: { ...state, ...seen } }, news);
    expect(bench.simulator.requests).toEqual([]);
  });
});

describe("a service that does not answer whether it knows the cluster", () => {
  const down = { kind: "status", status: 503, method: "GET", times: 99 } as const;

  it("is a warning", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.fault(down);
    for (const cluster of made) await look(bench, other, cluster);
    expect(warnings(bench)).toEqual([
      expect.stringMatching(/^warning: web: cl_\w+ was last seen under another .*could not be checked: .*HTTP 503/),
    ]);
  });

  it("is an error where the stack wants strict previews", async () => {
    const { bench, made, other } = await openStrangers({ settings: { strictPreview: true } });
    bench.simulator.fault(down);
    for (const cluster of made)
      expect((await failureOf(look(bench, other, cluster))).message).toMatch(/could not be checked.*strictPreview/s);
    expect(warnings(bench)).toEqual([]);
  });
});
