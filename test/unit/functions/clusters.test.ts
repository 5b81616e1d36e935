import { inspect } from "node:util";
import type { ClusterList } from "../../../provider/api/decode/records";
import { createFunctions } from "../../../provider/functions/dataFunctions";
import { type Fixture, type FixtureOptions, failureOf, openFixture } from "../cluster/harness";
import { canary } from "../cluster/inputs";

const web = { name: "web", gpuType: "h100", replicas: 2, container: "acme/model:1", env: { MODEL: canary, A: "1" } };

/** A service with one cluster, which another program created. */
async function openWithWeb(options: FixtureOptions = {}): Promise<Fixture & { id: string }> {
  const fixture = await openFixture(options);
  return { ...fixture, id: fixture.simulator.addCluster(web).id };
}

/** A service whose clusters are read as this list. */
const openWithList = (list: ClusterList) => openFixture({ client: () => ({ listClusters: async () => list }) });

const record = (id: string) => ({
  id,
  name: "web",
  status: "running",
  gpuType: "h100",
  replicas: 2,
  endpoint: expect.stringContaining("https://web-"),
  createdAt: expect.stringMatching(/Z$/),
});

const theList = ["GET /v1/clusters", "GET /v1/clusters?page=2"];

describe("getClusters", () => {
  it("returns the records of the list, after the question for a second page", async () => {
    const fixture = await openWithWeb();
    expect(await fixture.run(createFunctions(() => fixture.client).getClusters())).toStrictEqual({
      clusters: [record(fixture.id)],
      complete: true,
    });
    expect(fixture.requestLines()).toEqual(theList);
  });

  it("adds nothing to a record, and leaves out fields that it does not know; without all names, the list is not complete", async () => {
    const body = JSON.stringify([
      { id: "cl_1", replicas: "many", container: "a/b:1", env: { MODEL: canary }, note: canary },
    ]);
    const fixture = await openFixture({ faults: [{ kind: "body", body }] });
    expect(await fixture.run(createFunctions(() => fixture.client).getClusters())).toStrictEqual({
      clusters: [{ id: "cl_1" }],
      complete: false,
    });
  });

  it("fails if the list could not be read to its end, and says why", async () => {
    const { client } = await openWithList({ clusters: [], extent: "part", problem: "page 2: HTTP 500" });
    const { message } = await failureOf(createFunctions(() => client).getClusters());
    expect(message).toBe("the list of clusters could not be read to its end: page 2: HTTP 500");
  });
});

describe("getCluster", () => {
  const byId = ["GET /v1/clusters/:id"];

  it.each<[string, (id: string) => object, string[]]>([
    ["reads a cluster by its id with one request", (id) => ({ id }), byId],
    ["reads a cluster by its name: the list has the id", () => ({ name: "web" }), [...theList, ...byId]],
  ])("%s", async (_title, query, lines) => {
    const fixture = await openWithWeb();
    fixture.simulator.addCluster({ ...web, name: "web-2" });
    const detail = { ...record(fixture.id), container: "acme/model:1", envNames: ["MODEL", "A"] };
    expect(await fixture.run(createFunctions(() => fixture.client).getCluster(query(fixture.id)))).toStrictEqual(
      detail,
    );
    expect(fixture.requestLines()).toEqual(lines);
  });

  it("fails for an unknown id, and says what to do", async () => {
    const fixture = await openFixture();
    const { message } = await fixture.run(
      failureOf(createFunctions(() => fixture.client).getClusterStatus({ id: "cl_none" })),
    );
    expect(message).toMatch(/There is no cluster "cl_none".*HTTP 404.*getClusters\(\) lists/);
  });
});

describe("the name of a cluster", () => {
  const running = { id: "cl_1", name: "web", status: "running", createdAt: "2030-01-01T00:00:00Z" };
  const both = [running, { ...running, id: "cl_2", name: "Web" }];

  it.each<[string, ClusterList["clusters"], ClusterList["extent"], RegExp]>([
    ["no cluster has it", [], "whole", /^getCluster: there is no cluster "web"; getClusters\(\) lists/],
    [
      "several have it",
      both,
      "whole",
      /"web" is the name of 2 clusters, cl_1 \(running, .*\), cl_2 .*: use the `id` of/,
    ],
    [
      "only a partial list is known",
      [running],
      "part",
      /not certain whether only cl_1 .* has the name "web": use the `id`$/,
    ],
  ])("fails without another request: %s", async (_title, clusters, extent, expected) => {
    const { client, simulator } = await openWithList({ clusters, extent });
    expect((await failureOf(createFunctions(() => client).getCluster({ name: "web" }))).message).toMatch(expected);
    expect(simulator.requests).toEqual([]);
  });
});

describe("an env value", () => {
  const quote = `bad: MODEL=${canary} ${btoa(canary)}`;

  it("is hidden in an error of the status that quotes it", async () => {
    const fault = { kind: "status", status: 422, message: quote, code: canary, path: "/v1/clusters/*/status" } as const;
    const fixture = await openWithWeb({ faults: [fault] });
    const error = await fixture.run(
      failureOf(createFunctions(() => fixture.client).getClusterStatus({ id: fixture.id })),
    );
    expect(inspect(error)).not.toContain(canary); // what a failing program shows
  });
});
