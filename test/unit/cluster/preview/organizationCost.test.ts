import type { CallOptions, Client } from "../../../../provider/api/client";
import { type Properties, UNKNOWN } from "../../../../provider/core";
import type { ForeignCluster } from "../../../../simulator";
import { type Bench, type BenchOptions, closeAll, failureOf, openBench, requestLines, writes } from "../harness";
import { checked, urnOf } from "../inputs";
import { check, checkAll, checkTwice, old } from "./harness";

afterEach(closeAll);

const limited = (limit: number, more: BenchOptions = {}): BenchOptions => ({
  ...more,
  settings: { maxHourlyCostOfOrganization: limit, ...more.settings },
});

/** The cluster of another stack: 5.98 USD per hour. */
const chat: ForeignCluster = { name: "chat", gpuType: "h100", replicas: 2 };

async function openWith(others: readonly ForeignCluster[], options: BenchOptions): Promise<Bench> {
  const bench = await openBench(options);
  for (const other of others) bench.simulator.addCluster(other);
  return bench;
}

const setting = "gpucluster:maxHourlyCostOfOrganization";
const over = new RegExp(`^: ${setting} is 10.00, but .* 11.96 USD per hour`);
const lineOf = ({ said }: Bench) => said.filter((line) => line.startsWith("warning") && line.includes("organization"));

describe("gpucluster:maxHourlyCostOfOrganization", () => {
  it("fails the cluster that crosses it, and names what is spent elsewhere", async () => {
    const others = [1, 2, 3, 4].map((replicas) => ({ name: `other-${replicas}`, gpuType: "l4", replicas }));
    const bench = await openWith([...others, chat], limited(12));
    const id = bench.simulator.clusters().find((cluster) => cluster.name === "chat")?.id;
    const [first, second] = await checkAll(bench, [
      { ...checked, name: "a", replicas: 1, gpuType: "l4" },
      { ...checked, name: "b", replicas: 1 },
    ]);
    expect(first?.refusals).toEqual([]);
    expect(second?.refusals).toEqual([
      expect.stringMatching(
        new RegExp(
          `^: ${setting} is 12.00, but the clusters that the API key sees would cost 13.81 USD per hour: ` +
            "3.43 in this run: b 2.99 \\(1 x h100 at 2.99 USD\\), a 0.44 \\(1 x l4 at 0.44 USD\\); " +
            `10.38 elsewhere: chat ${id} 5.98 \\(2 x h100 at 2.99 USD\\), other-4 cl_\\w+ 1.76 \\(4 x l4 at 0.44 USD\\), ` +
            "other-3 cl_\\w+ 1.32 \\(3 x l4 at 0.44 USD\\), and 2 more",
        ),
      ),
    ]);
    expect(second?.refusals[0]).toMatch(
      /; a cluster that this run deletes, or has not checked yet, counts as it is now$/,
    );
    expect(writes(bench.simulator)).toEqual([]);
  });

  it.each<[string, Properties, Properties | undefined, ForeignCluster[], boolean]>([
    ["a creation", {}, undefined, [chat], true],
    ["a creation as a stopped cluster", { desiredStatus: "stopped" }, undefined, [chat], false],
    ["a creation beside a stopped cluster", {}, undefined, [{ ...chat, status: "stopped" }], false],
    ["a scale-up", {}, old({ replicas: 1, hourlyCost: 2.99 }), [chat], true],
    ["a scale-down, even if the price has risen", {}, old({ replicas: 3, hourlyCost: 0.03 }), [chat], false],
    ["a start", {}, old({ desiredStatus: "stopped", hourlyCost: 0 }), [chat], true],
    ["a stop", { desiredStatus: "stopped" }, old(), [chat], false],
    ["a dearer GPU type", { replicas: 2 }, old({ gpuType: "l4", hourlyCost: 0.88 }), [chat], true],
    ["a cheaper GPU type", {}, old({ gpuType: "h200", hourlyCost: 7.98 }), [chat], false],
    ["no change", {}, old(), [chat], false],
    ["no change of a cluster whose cost was not known", {}, old({ hourlyCost: undefined }), [chat], false],
    ["another container, with a roll-out", { container: "a/b:2" }, old(), [chat], false],
    ["a replacement at the same cost", { container: "a/b:2", __replaceOnChanges: ["container"] }, old(), [chat], false],
    [
      "a replacement by another name, whose old cluster still runs",
      { name: "api" },
      old(),
      [{ ...chat, name: "web" }],
      false,
    ],
    ["its own cluster, which counts once", {}, old({ replicas: 1 }), [{ ...chat, name: "web", replicas: 1 }], false],
    ["replicas that are not known yet", { replicas: UNKNOWN }, undefined, [chat], false],
  ])("judges %s", async (_title, news, olds, others, fails) => {
    const bench = await openWith(others, limited(10));
    const { refusals } = await check(bench, { ...checked, ...news }, olds);
    expect(refusals).toEqual(fails ? [expect.stringMatching(over)] : []);
  });

  it("counts an adopted cluster once, and refuses only what the adoption adds", async () => {
    const bench = await openWith([{ ...chat, name: "web" }, chat], limited(10));
    const [mine] = bench.simulator.clusters();
    expect((await check(bench, { ...checked, adopt: mine?.id })).refusals).toEqual([]);
    const more = await check(bench, { ...checked, replicas: 3, adopt: mine?.id });
    expect(more.refusals).toEqual([expect.stringMatching(/14\.95 USD.*8\.97 in this run.*5\.98 elsewhere/)]);
  });

  it("counts both checks of a replacement as one cluster", async () => {
    const bench = await openWith([{ ...chat, name: "web" }], limited(8));
    const results = await checkTwice(bench, { ...checked, gpuType: "h200" }, old());
    expect(results.flatMap(({ refusals }) => refusals)).toEqual([]);
  });

  it("holds for each organization alone", async () => {
    const { simulator, ...bench } = await openWith([chat], limited(10));
    const other = bench.as("other");
    for (const cluster of [bench.cluster, other]) {
      const news = { ...checked, name: cluster === other ? "b" : "a", replicas: 1 };
      expect((await bench.run(cluster.check(bench.ctx({ urn: urnOf(news.name) }), news, {}))).failures).toEqual([]);
    }
  });

  it.each<[string, Properties | undefined, ForeignCluster[]]>([
    ["for a creation", undefined, [chat]],
    ["for no change", old(), [chat]],
  ])("asks for nothing more %s", async (_title, olds, others) => {
    const linesOf = async (options: BenchOptions) => {
      const bench = await openWith(others, options);
      const { inputs } = await check(bench, checked, olds);
      if (!olds) await bench.run(bench.cluster.create(bench.ctx(), inputs));
      return requestLines(bench.simulator);
    };
    expect(await linesOf(limited(100))).toEqual(await linesOf({}));
  });
});

describe("what of the organization cannot be counted", () => {
  const odd: ForeignCluster = { name: "odd", gpuType: "tpu-9", replicas: 2 };
  const half = ({ listClusters }: Client) => ({
    listClusters: async () => ({ ...(await listClusters()), complete: false }),
  });
  const nameless = ({ listClusters }: Client) => ({
    listClusters: async () => {
      const { clusters, ...list } = await listClusters();
      return { ...list, clusters: clusters.map(({ name, ...cluster }) => cluster) };
    },
  });
  const closed = () => ({
    listClusters: async () => {
      throw new Error("the list is closed");
    },
  });
  it.each<[string, ForeignCluster[], BenchOptions, RegExp]>([
    ["a cluster without a price", [odd], {}, /no cost .* for odd cl_\w+, .*not counted/],
    ["several of them", [odd, odd, odd], {}, /no cost .* for odd cl_\w+ and 2 more, .*not counted/],
    ["a cluster without a name, which may be one of the run", [chat], { client: nameless }, /no cost .* for cl_\w+, /],
    ["a list that is not complete", [], { client: half }, /list of clusters is not complete/],
    ["a list that cannot be read", [], { client: closed }, /the list is closed/],
  ])("%s is one line of the run, and an error only with strictPreview", async (_title, others, options, text) => {
    const news = ["a", "b"].map((each) => ({ ...checked, name: each, replicas: 1 }));
    const bench = await openWith(others, limited(10, options));
    expect((await checkAll(bench, news)).flatMap(({ refusals }) => refusals)).toEqual([]);
    expect(lineOf(bench)).toEqual([expect.stringMatching(text)]);
    const strict = await openWith(others, limited(10, { ...options, settings: { strictPreview: true } }));
    const [first] = await checkAll(strict, news);
    expect(first?.refusals).toEqual([expect.stringMatching(text)]);
    expect(first?.refusals[0]).toContain("gpucluster:strictPreview");
  });

  it("a cluster of the run without a price is one line too", async () => {
    const priceless = [{ type: "h100", name: "NVIDIA H100", memoryGb: 80, stock: 256 }];
    const bench = await openBench(limited(10, { gpuTypes: priceless }));
    expect((await check(bench, checked)).refusals).toEqual([]);
    expect(lineOf(bench)).toEqual([expect.stringMatching(/cost of the organization .* no price for "h100"/)]);
    const unchanged = await openBench(limited(10, { gpuTypes: priceless, settings: { strictPreview: true } }));
    expect((await check(unchanged, checked, old({ hourlyCost: undefined }))).refusals).toEqual([]);
  });

  it("what is known counts all the same", async () => {
    const { refusals } = await check(await openWith([odd, chat], limited(10)), checked);
    expect(refusals).toEqual([expect.stringMatching(/11\.96 USD .*; not counted: 1 whose cost is not known/)]);
  });
});

describe("an operation whose prices could not be looked up in time by its check", () => {
  /** A service whose rate limit lets no lookup of prices of a check through. */
  const busy = ({ listGpuTypes, listGpuPricing }: Client): Partial<Client> => {
    const late = (real: typeof listGpuTypes) => async (options?: CallOptions) => {
      if (options?.maxQueueMs === 0) throw new Error("too many requests");
      return real(options);
    };
    return { listGpuTypes: late(listGpuTypes), listGpuPricing: late(listGpuPricing) };
  };

  it.each<[string, Properties | undefined]>([
    ["a creation", undefined],
    ["a scale-up", old({ replicas: 1, hourlyCost: 2.99 })],
  ])("is judged when they are known: %s", async (_title, olds) => {
    const bench = await openWith([chat], limited(10, { client: busy }));
    const { inputs, refusals } = await check(bench, checked, olds);
    expect(refusals).toEqual([]);
    const { cluster } = bench;
    const work = olds ? cluster.update(bench.ctx(), "cl_00000001", olds, inputs) : cluster.create(bench.ctx(), inputs);
    expect((await failureOf(bench.run(work))).message).toMatch(
      /Organization is 10\.00, but .* 11\.96 USD .*Nothing was sent$/,
    );
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("right before the create request", () => {
  it("the organization is looked at again, with what others have created since the check", async () => {
    const bench = await openWith([], limited(10));
    const { inputs, refusals } = await check(bench, checked);
    expect(refusals).toEqual([]);
    bench.simulator.addCluster(chat);
    await bench.clock.advance(60_000);
    const { message } = await failureOf(bench.run(bench.cluster.create(bench.ctx(), inputs)));
    expect(message).toMatch(
      /^cluster "web": gpucluster:maxHourlyCostOfOrganization is 10\.00, but .*chat cl_.*Nothing was sent$/,
    );
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("the next type of a list is judged by its own cost", async () => {
    const bench = await openWith([chat], limited(10));
    const { inputs, refusals } = await check(bench, { ...checked, gpuType: ["l4", "h200"], replicas: 2 });
    expect(refusals).toEqual([]);
    const refused = { kind: "status", status: 409, code: "insufficient_capacity", method: "POST" } as const;
    bench.simulator.fault({ ...refused, path: "/v1/clusters" });
    const { message } = await failureOf(bench.run(bench.cluster.create(bench.ctx(), inputs)));
    expect(message).toMatch(/Organization is 10\.00, but .* web 7\.98 \(2 x h200.*Nothing was sent$/);
    expect(writes(bench.simulator)).toEqual(["POST /v1/clusters"]);
  });
});
