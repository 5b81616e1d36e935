import { messageOf } from "../../../../provider/base/errors";
import type { Properties } from "../../../../provider/contract";
import { type Bench, type BenchOptions, failureOf, openBench, requestLines, settle } from "../harness";
import { checked, urnOf } from "../inputs";
import { warnings } from "../powerHarness";

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

describe("before a difference, a cluster that", () => {
  it("the same key saw last is not looked up", async () => {
    const { bench, made } = await openStrangers();
    for (const cluster of made) await look(bench, bench.cluster, cluster);
    expect(bench.simulator.requests).toEqual([]);
  });

  it("another key saw last, and this one knows, passes in silence: one list for all of them", async () => {
    const { bench, made, other } = await openStrangers({}, ["a", "b", "c"]);
    for (const cluster of made) await look(bench, other, cluster);
    expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it("another key saw last, and this one does not know, is an error that says what to do", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.change(made[0]?.id ?? "", { status: "gone" });
    await bench.clock.advance(180_000);
    for (const cluster of made) {
      const { message } = await failureOf(look(bench, other, cluster));
      expect(message).toMatch(/^cluster "web" \(cl_\w+\) is not known to this .*others saw it last/);
      expect(message).toMatch(/pulumi state delete 'urn:/);
    }
  });
});

describe("a service that does not answer whether it knows the cluster", () => {
  const down = { kind: "status", status: 503, method: "GET", times: 99 } as const;

  it("is a warning", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.fault(down);
    for (const cluster of made) await look(bench, other, cluster);
    expect(warnings(bench)).toEqual([
      expect.stringMatching(
        /^warning: web: cl_\w+ was last seen with another .*could not be checked .*HTTP 503.*`pulumi refresh`/s,
      ),
    ]);
  });

  it("is an error if the service rejects the key", async () => {
    const { bench, made, other } = await openStrangers();
    bench.simulator.fault({ ...down, status: 401, code: "unauthorized" });
    for (const cluster of made)
      expect((await failureOf(look(bench, other, cluster))).message).toMatch(/^cluster "web".*HTTP 401.*API key/s);
    expect(warnings(bench)).toEqual([]);
  });
});

describe("many clusters that another key saw last, whose list this key cannot have,", () => {
  const noList = { kind: "status", status: 403, code: "forbidden", method: "GET", path: "/v1/clusters" } as const;
  const readLine = "GET /v1/clusters/:id";
  const strict = { settings: { strictPreview: true } };

  /** A hundred clusters, and what another key says of each of them: nothing, or an error. */
  async function openMany(options: BenchOptions, fault: Parameters<Bench["simulator"]["fault"]>[0]) {
    const { bench, made, other } = await openStrangers(options);
    const state = made[0]?.state ?? {};
    const ids = Array.from(
      { length: 100 },
      (_, i) => bench.simulator.addCluster({ name: `w${i}`, gpuType: "h100" }).id,
    );
    await bench.clock.advance(180_000);
    bench.simulator.fault({ ...fault, times: 100_000 });
    const recognize = (id: string, i: number) => {
      const named = { name: `w${i}` };
      const ctx = bench.ctx({ urn: urnOf(named.name) });
      return other.recognize(ctx, id, { ...state, ...named }, { ...checked, ...named }).then(() => "", messageOf);
    };
    /** One after the other, as the engine asks for differences. */
    async function recognizeAll(): Promise<string[]> {
      const texts = [];
      for (const [i, id] of ids.entries()) texts.push(await recognize(id, i));
      return texts;
    }
    return { bench, other, recognizeAll: () => bench.run(recognizeAll()) };
  }

  it.each([
    ["in silence", {}],
    ["under strictPreview", strict],
  ])("are recognized by one of them, %s", async (_title, options) => {
    const { bench, recognizeAll } = await openMany(options, noList);
    expect(new Set(await recognizeAll())).toEqual(new Set([""]));
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters", readLine]);
    expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
  });

  it.each([503, 403, 429])("and that cannot be read either (%i), are one warning and few requests", async (status) => {
    const down = { kind: "status", status, code: "x", headers: { "Retry-After": "40" }, method: "GET" } as const;
    const { bench, recognizeAll } = await openMany({}, down);
    expect(new Set(await recognizeAll())).toEqual(new Set([""]));
    expect(requestLines(bench.simulator).length).toBeLessThanOrEqual(4);
    expect(warnings(bench)).toEqual([expect.stringMatching(/could not be checked.*`pulumi refresh`/s)]);
  });
});

it("a refresh ends the question which key sees a cluster", async () => {
  const { bench, made, other } = await openStrangers();
  for (const { id, state } of made) {
    const found = await bench.run(bench.as("another").read(bench.ctx(), id, state));
    bench.simulator.requests.length = 0;
    await look(bench, other, { id, state: found?.state ?? {} });
    expect(requestLines(bench.simulator)).toEqual([]);
  }
});
