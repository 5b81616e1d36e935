import type { ClusterRecord } from "../../../../provider/api/records";
import type { Properties } from "../../../../provider/contract";
import { names } from "../../dialects/harness";
import { type BenchOptions, openBench, requestLines } from "../harness";
import { checked } from "../inputs";

const detail = "GET /v1/clusters/:id";

/** Creates clusters at once, each with what it asks for. */
async function createAll(options: BenchOptions, asked: readonly Properties[]) {
  const bench = await openBench({ provisioningMs: 0, ...options });
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
function formOf({ __echo, unverifiedInputs, settled, endpoint, createdAt }: Properties): Properties {
  return { __echo, unverifiedInputs, settled, shown: [endpoint, createdAt].map((output) => typeof output) };
}

describe("of many creations at once", () => {
  it.each([
    ["shows no container and no env", { containerEcho: "none", envEcho: "none" }],
    ["shows them as they were asked for", { containerEcho: "same", envEcho: "same" }],
  ] as const)("one finds out for all that the service %s", async (_title, dialect) => {
    const { details } = await createAll(
      { dialect },
      fleetOf(20, (index) => ({ env: { MODEL: `llama-${index}` } })),
    );
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

  it.each([["other variables", (index: number) => ({ env: index === 0 ? { MODE: "fast" } : { MODEL: "llama" } })]])(
    "one with %s tells nothing about the others",
    async (_title, own) => {
      const dialect = { containerEcho: "registry", envEcho: "masked" } as const;
      const fleet = fleetOf(3, own);
      const { states } = await createAll({ dialect }, fleet);
      const { states: alone } = await createAll({ dialect }, fleet.slice(1));
      expect(states.slice(1).map(formOf)).toEqual(alone.map(formOf));
    },
  );

  it.each<[string, (real: ClusterRecord) => ClusterRecord | Promise<never>, isHidden?: boolean]>([
    ["could not be looked at", () => Promise.reject(new Error("try later"))],
    ["shows an endpoint that nobody knows yet", (real) => real, true],
  ])("one that %s leaves the look to each", async (_title, first, isHidden = false) => {
    let looks = 0;
    const withoutEndpoint = ({ endpoint, ...others }: ClusterRecord): ClusterRecord =>
      isHidden ? others : { ...others, ...(endpoint === undefined ? {} : { endpoint }) };
    const { details } = await createAll(
      {
        client: (real) => ({
          createCluster: async (...args) => withoutEndpoint(await real.createCluster(...args)),
          listClusters: async (...args) => {
            const list = await real.listClusters(...args);
            return { ...list, clusters: list.clusters.map(withoutEndpoint) };
          },
          getCluster: async (...args) => {
            const record = await real.getCluster(...args);
            looks += 1;
            return looks === 1 ? first(record) : record;
          },
        }),
      },
      fleetOf(10),
    );
    expect(details).toBeGreaterThanOrEqual(10);
  });
});
