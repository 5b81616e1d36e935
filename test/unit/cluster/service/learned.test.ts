import type { ClusterRecord } from "../../../../provider/api/decode/records";
import type { Properties } from "../../../../provider/contract";
import { names } from "../../dialects/harness";
import { type FixtureOptions, openFixture, requestLines } from "../harness";
import { checked } from "../inputs";

const detail = "GET /v1/clusters/:id";

/** Creates clusters at once, each with what it asks for. */
async function createAll(options: FixtureOptions, asked: readonly Properties[]) {
  const bench = await openFixture({ provisioningMs: 0, ...options });
  const made = asked.map((own) => bench.cluster.create(bench.ctx(), { ...checked, ...own }));
  const ends = await bench.run(Promise.allSettled(made));
  const states = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value.state] : []));
  const details = requestLines(bench.simulator).filter((line) => line === detail).length;
  return { states, details, said: bench.said };
}

function fleetOf(count: number, own: (index: number) => Properties = () => ({})): Properties[] {
  return Array.from({ length: count }, (_, index) => ({ name: `web-${index}`, ...own(index) }));
}

/** What a state holds of the form in which the service shows it, and which of the outputs it has. */
function formOf({ __observed, unverifiedInputs, settled, endpoint, createdAt }: Properties): Properties {
  return { __observed, unverifiedInputs, settled, shown: [endpoint, createdAt].map((output) => typeof output) };
}

describe("of many creations at once", () => {
  it("one finds out for all what the service shows", async () => {
    const fleet = fleetOf(20, (index) => ({ env: { MODEL: `llama-${index}` } }));
    const { details } = await createAll({ dialect: { containerEcho: "none", envEcho: "none" } }, fleet);
    // Who waits last waits alone, and is looked at by itself.
    expect(details).toBeLessThanOrEqual(3);
  });

  it.each(names)("each has the state that it would have alone (%s)", async (dialect) => {
    const fleet = fleetOf(4, (index) => ({ env: { MODEL: `llama-${index}`, TOKEN: "t-12345678" } }));
    const { states } = await createAll({ dialect }, fleet);
    for (const [index, asked] of fleet.entries()) {
      const { states: alone } = await createAll({ dialect }, [asked]);
      expect(formOf(states[index] ?? {})).toEqual(formOf(alone[0] ?? {}));
    }
  });

  it("one with other variables tells nothing about the others", async () => {
    const fleet = fleetOf(3, (index) => ({ env: index === 0 ? { MODE: "fast" } : { MODEL: "llama" } }));
    const dialect = { containerEcho: "registry", envEcho: "masked" } as const;
    const { states } = await createAll({ dialect }, fleet);
    const { states: alone } = await createAll({ dialect }, fleet.slice(1));
    expect(states.slice(1).map(formOf)).toEqual(alone.map(formOf));
  });

  it("one that shows an endpoint which nobody knows yet leaves the look to each", async () => {
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
