import { inspect } from "node:util";
import type { Client } from "../../../provider/api/client";
import { getCluster, getClusterStatus, getClusters } from "../../../provider/functions/clusters";
import {
  bareStatus,
  type Fixture,
  type FixtureOptions,
  failureOf,
  openFixture,
  requestLines,
} from "../cluster/harness";
import { canary } from "../cluster/inputs";

const web = { name: "web", gpuType: "h100", replicas: 2, container: "acme/model:1", env: { MODEL: canary, A: "1" } };

/** A bench with one cluster, which somebody else made. */
async function openWithWeb(options: FixtureOptions = {}): Promise<Fixture & { id: string }> {
  const bench = await openFixture(options);
  return { ...bench, id: bench.simulator.addCluster(web).id };
}

const facts = (id: string) => ({
  id,
  name: "web",
  status: "running",
  gpuType: "h100",
  replicas: 2,
  endpoint: expect.stringContaining("https://web-"),
  createdAt: expect.stringMatching(/Z$/),
});

describe("the clusters", () => {
  it("come with the facts of the list, after one request", async () => {
    const bench = await openWithWeb();
    expect(await bench.run(getClusters(bench.client))).toStrictEqual({ clusters: [facts(bench.id)], complete: true });
    expect(requestLines(bench.simulator)).toEqual(["GET /v1/clusters"]);
  });

  it("say nothing that the service does not, and hand out nothing that it adds: without a name, one may have any", async () => {
    const body = JSON.stringify([
      { id: "cl_1", replicas: "many", container: "a/b:1", env: { MODEL: canary }, note: canary },
    ]);
    const bench = await openFixture({ faults: [{ kind: "body", body }] });
    expect(await bench.run(getClusters(bench.client))).toStrictEqual({ clusters: [{ id: "cl_1" }], complete: false });
  });

  it("are an error where the list could not be read to its end, which says why", async () => {
    const bench = await openFixture({ client: () => partOfList("page 2: HTTP 500") });
    const { message } = await failureOf(getClusters(bench.client));
    expect(message).toBe("the list of clusters could not be read to its end: page 2: HTTP 500");
  });
});

/** A list with one "web" in it that may not be all there is. */
function partOfList(problem?: string): Partial<Client> {
  const clusters = [{ id: "cl_1", name: "web", status: "running" }];
  const list = { clusters, complete: false, ...(problem ? { problem } : {}) };
  return { listClusters: async () => list };
}

describe("one cluster", () => {
  const byId = ["GET /v1/clusters/:id"];

  it.each<[string, (id: string) => Parameters<typeof getCluster>[1], string[]]>([
    ["by its id with one request", (id) => ({ id }), byId],
    ["by its name: the list gives the id", () => ({ name: "web" }), ["GET /v1/clusters", ...byId]],
  ])("is read %s", async (_title, query, lines) => {
    const bench = await openWithWeb();
    bench.simulator.addCluster({ ...web, name: "web-2" });
    const detail = { ...facts(bench.id), container: "acme/model:1", envNames: ["MODEL", "A"] };
    expect(await bench.run(getCluster(bench.client, query(bench.id)))).toStrictEqual(detail);
    expect(requestLines(bench.simulator)).toEqual(lines);
  });

  it("is an error for an id that there is not, which says what to do", async () => {
    const bench = await openWithWeb();
    const { message } = await bench.run(failureOf(getClusterStatus(bench.client, { id: "cl_none" })));
    expect(message).toMatch(/There is no cluster "cl_none".*HTTP 404.*getClusters\(\) lists/);
  });
});

describe("a name", () => {
  const doubts: [string, (bench: Fixture) => unknown, FixtureOptions, RegExp][] = [
    ["nobody has", () => undefined, {}, /^getCluster: there is no cluster "web"; getClusters\(\) lists/],
    [
      "that several have",
      ({ simulator }) => ["web", "Web"].map((name) => simulator.addCluster({ ...web, name })),
      {},
      /"web" is the name of 2 clusters, cl_\w+ \(running, since .*\), cl_\w+ \(.*\): use the `id` of one$/,
    ],
    [
      "that one has, where others may",
      () => undefined,
      { client: () => partOfList() },
      /not certain whether only cl_1 \(running\) has the name "web": use the `id`$/,
    ],
  ];

  it.each(doubts)("%s is an error that says so", async (_title, arrange, options, text) => {
    const bench = await openFixture(options);
    await bench.run(Promise.resolve(arrange(bench)));
    const { message } = await bench.run(failureOf(getCluster(bench.client, { name: "web" })));
    expect(message).toMatch(text);
    expect(requestLines(bench.simulator)).not.toContain("GET /v1/clusters/:id");
  });
});

test("the status of a cluster is read from a bare list too: the word for the whole is that of the cluster", async () => {
  const bench = await openWithWeb({ wire: bareStatus });
  bench.simulator.change(bench.id, { sickReplica: { replica: 1, message: "out of memory" } });
  const [first, second] = bench.simulator.cluster(bench.id)?.replicaStates ?? [];
  expect(await bench.run(getClusterStatus(bench.client, { id: bench.id }))).toStrictEqual({
    status: "running",
    replicas: [
      { id: first?.id, status: "healthy", healthy: true },
      { id: second?.id, status: "unhealthy", healthy: false, message: "out of memory" },
    ],
    readyReplicas: 1,
  });
  expect(requestLines(bench.simulator).sort()).toEqual(["GET /v1/clusters/:id", "GET /v1/clusters/:id/status"]);
});

describe("an env value", () => {
  const quote = `bad: MODEL=${canary} ${btoa(canary)}`;

  it("shows in no answer", async () => {
    const bench = await openWithWeb();
    bench.simulator.change(bench.id, { sickReplica: { replica: 0, message: quote } });
    const { id } = bench;
    const answers = [
      await bench.run(getClusters(bench.client)),
      await bench.run(getCluster(bench.client, { id })),
      await bench.run(getCluster(bench.client, { name: "web" })),
      await bench.run(getClusterStatus(bench.client, { id })),
    ];
    expect(answers.at(-1)).toMatchObject({ replicas: [{ message: "bad: MODEL=[secret] [secret]" }, {}] });
    expect(JSON.stringify(answers)).not.toMatch(new RegExp(`${canary}|${btoa(canary)}`));
  });

  it("shows in no error of the status, where the service quotes it", async () => {
    const fault = { kind: "status", status: 422, message: quote, code: canary, path: "/v1/clusters/*/status" } as const;
    const bench = await openWithWeb({ faults: [fault] });
    const error = await bench.run(failureOf(getClusterStatus(bench.client, { id: bench.id })));
    expect(inspect(error)).not.toContain(canary); // what a failing program shows
  });

  it("that looks like no credential stays in texts, also in those about other clusters of the same run", async () => {
    const env = { GPU: "h100-80gb", REGION: "eu-north-1", HF_TOKEN: "Zq7KWv93" };
    const bench = await openFixture();
    const { id } = bench.simulator.addCluster({ ...web, env });
    bench.simulator.change(id, { sickReplica: { replica: 0, message: "no h100-80gb in eu-north-1 for Zq7KWv93" } });
    const { replicas } = await bench.run(getClusterStatus(bench.client, { id }));
    await bench.run(getCluster(bench.client, { id }));
    expect(replicas[0]?.message).toBe("no h100-80gb in eu-north-1 for [secret]");
    const later = 'GPU type "h100-80gb" is not available in eu-north-1';
    expect(bench.client.redactor.hide(later)).toBe(later);
  });
});
