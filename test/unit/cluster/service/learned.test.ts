import type { ClusterRecord } from "../../../../provider/api/decode/records";
import type { Properties } from "../../../../provider/contract";
import { names } from "../../dialects/harness";
import { type FixtureOptions, openFixture, requestLines } from "../harness";
import { checked } from "../inputs";

const detail = "GET /v1/clusters/:id";

/** Creates clusters at once. */
async function createAll(options: FixtureOptions, fleet: readonly Properties[]) {
  const bench = await openFixture({ provisioningMs: 0, ...options });
  const made = fleet.map((inputs) => bench.cluster.create(bench.ctx(), { ...checked, ...inputs }));
  const ends = await bench.run(Promise.allSettled(made));
  const states = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value.state] : []));
  const details = requestLines(bench.simulator).filter((line) => line === detail).length;
  return { states, details };
}

function fleetOf(count: number, inputsOf: (index: number) => Properties = () => ({})): Properties[] {
  return Array.from({ length: count }, (_, index) => ({ name: `web-${index}`, ...inputsOf(index) }));
}

/** What a state has learned from the service, and which of the outputs it has. */
function learnedOf({ __observed, unverifiedInputs, settled, endpoint, createdAt }: Properties): Properties {
  return { __observed, unverifiedInputs, settled, outputs: [endpoint, createdAt].map((output) => typeof output) };
}

describe("many creations at once", () => {
  it("learn from one read how the service shows the inputs", async () => {
    const fleet = fleetOf(20, (index) => ({ env: { MODEL: `llama-${index}` } }));
    const { details } = await createAll({ dialect: { containerEcho: "none", envEcho: "none" } }, fleet);
    // The last one to wait waits alone, and is read by id.
    expect(details).toBeLessThanOrEqual(3);
  });

  it.each(names)("have the same states as single creations: dialect %s", async (dialect) => {
    const fleet = fleetOf(4, (index) => ({ env: { MODEL: `llama-${index}`, TOKEN: "t-12345678" } }));
    const { states } = await createAll({ dialect }, fleet);
    for (const [index, inputs] of fleet.entries()) {
      const { states: alone } = await createAll({ dialect }, [inputs]);
      expect(learnedOf(states[index] ?? {})).toEqual(learnedOf(alone[0] ?? {}));
    }
  });

  it("learn nothing from a cluster with other variables", async () => {
    const fleet = fleetOf(3, (index) => ({ env: index === 0 ? { MODE: "fast" } : { MODEL: "llama" } }));
    const dialect = { containerEcho: "registry", envEcho: "masked" } as const;
    const { states } = await createAll({ dialect }, fleet);
    const { states: alone } = await createAll({ dialect }, fleet.slice(1));
    expect(states.slice(1).map(learnedOf)).toEqual(alone.map(learnedOf));
  });

  it("read each cluster if only a read by id shows the endpoint", async () => {
    const withoutEndpoint = ({ endpoint: _endpoint, ...others }: ClusterRecord): ClusterRecord => others;
    const client: FixtureOptions["client"] = (real) => ({
      createCluster: async (...args) => withoutEndpoint(await real.createCluster(...args)),
      listClusters: async (...args) => {
        const list = await real.listClusters(...args);
        return { ...list, clusters: list.clusters.map(withoutEndpoint) };
      },
    });
    const { details } = await createAll({ client }, fleetOf(10));
    expect(details).toBeGreaterThanOrEqual(10);
  });
});
