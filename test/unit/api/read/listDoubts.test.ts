import { readClusterList } from "../../../../provider/api/read/clusterList";

/** What is read of a first page if no other page is available. */
async function pageOf(json: unknown) {
  const { clusters, complete } = await readClusterList(async (query) => ({ json: query ? {} : json, headers: {} }));
  return { has: clusters.length > 0, complete };
}

const cluster = (id: string) => ({ id, name: `n-${id}`, status: "running", gpu_type: "h100", replicas: 1 });
const clusters = [cluster("cl_1")];

test.each<[string, unknown]>([
  ["errors in an object beside it", { clusters, meta: { errors: ["one shard is down"] } }],
  ["places that were not reached, in an object beside it", { clusters, meta: { unreachable: ["eu-1"] } }],
  ["a mark of a part beside a total", { clusters, total: 1, meta: { partial: true } }],
  ["a mark of a part beside a mark of the end", { clusters, has_more: false, meta: { partial: true } }],
  ["a last key that is an object", { clusters, LastEvaluatedKey: { id: { S: "cl_1" } } }],
  ["a count of this page before a larger total", { clusters, count: 1, total: 5 }],
  [
    "a count of this page before a larger total, in the manner of Cloudflare",
    { result: clusters, result_info: { page: 1, per_page: 1, count: 1, total_count: 5 } },
  ],
  ["a marker beside a count of this page", { clusters, count: 1, Marker: "x" }],
  ["a second list that is a map", { clusters, archived_clusters: { cl_2: cluster("cl_2") } }],
  ["a second list that is deeper", { clusters, archived: { clusters: [cluster("cl_2")] } }],
  ["an entry of null in a map of other ids", { "a-1": cluster("a-1"), "b-2": null }],
])("a list with %s is not complete", async (_what, json) => {
  expect(await pageOf(json)).toEqual({ has: true, complete: false });
});
