import type { Fault } from "../../../../simulator";
import { closeAll, countOf, failureOf, living, openBench } from "../harness";
import { checked } from "../inputs";

afterEach(closeAll);

const answer = (json: unknown): Fault => {
  return { kind: "body", path: "/v1/clusters", method: "GET", body: JSON.stringify(json), times: 100 };
};

test.each<[string, unknown]>([
  ["an empty object", {}],
  ["an empty list under another name", { warnings: [] }],
  ["an empty list of others", { clusters_of_others: [] }],
  ["an empty list under another name, inside data", { data: { errors: [] } }],
  ["a list under another name", { fleet: [{ id: "cl_a", name: "web", gpu_type: "h100" }] }],
  ["a list of nothing that can be read", [null]],
  ["a list of lists", [[]]],
  ["a map of other things", { data: { user: { id: "u-1", name: "acme" } } }],
])(
  "%s in place of the list of clusters is an error that names the doctor, and no request for a cluster is sent",
  async (_title, json) => {
    const bench = await openBench({ faults: [answer(json)] });
    const { message } = await bench.run(failureOf(bench.cluster.create(bench.ctx(), checked)));
    expect(message).toContain("it is not a list of clusters in a form that this version knows");
    expect(message).toContain("npx pulumi-gpucluster doctor");
    expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(0);
    expect(living(bench.simulator)).toEqual([]);
  },
);

test.each<[string, unknown]>([
  ["an empty list under clusters", { clusters: [] }],
  ["an empty list under another name, beside a total of 0", { fleet: [], total: 0 }],
])("%s lets a cluster be created", async (_title, json) => {
  const bench = await openBench({ faults: [{ ...answer(json), times: 1 }] });
  await bench.run(bench.cluster.create(bench.ctx(), checked));
  expect(countOf(bench.simulator, "POST /v1/clusters")).toBe(1);
});
