import { createClient } from "../../../../provider/api/client";
import type { Send } from "../../../../provider/api/http/send";
import { ResponseShapeError } from "../../../../provider/base/errors";
import { VirtualClock } from "../../../support/virtualClock";
import { transportOver } from "./httpHarness";

/** A client whose service answers with these bodies, one after the other, the last one again and again. */
function bench(...bodies: string[]) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const paths: string[] = [];
  const wire: Send = async ({ path }) => {
    paths.push(path);
    await clock.sleep(100);
    return { status: 200, headers: {}, body: bodies[paths.length - 1] ?? bodies.at(-1) ?? "" };
  };
  const client = createClient(transportOver(wire, { clock, random: () => 1 }));
  return { client, paths, run: <T>(work: Promise<T>) => clock.run(work), passedMs: () => clock.now() - startMs };
}

test.each<[string, string, number, boolean]>([
  ["a truncated body", '{"gpus":[{"type":"h1', 2, false],
  ["an unreadable shape", '{"greeting":"hello"}', 1, false],
  ["an error in a success", '{"error":{"code":"internal","message":"no database","status":500}}', 2, true],
])(
  "%s in answer to a read is requested at most once more, and fails soon, with what to do",
  async (_what, body, count, isSaid) => {
    const { client, paths, run, passedMs } = bench(body);
    const error: unknown = await run(client.listClusters()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ResponseShapeError);
    expect(paths).toHaveLength(count);
    expect(passedMs()).toBeLessThan(3_000);
    // The command that examines the service helps nobody if the service itself says what is wrong.
    expect(String(error).split("npx pulumi-gpucluster doctor")).toHaveLength(isSaid ? 1 : 2);
    if (count === 1) return;
    const next = bench(body, '{"gpus":[{"type":"h100"}]}');
    expect((await next.run(next.client.listGpuTypes())).gpus).toMatchObject([{ type: "h100" }]);
  },
);

test("a page that cannot be read is requested once more, by its own query", async () => {
  const first = '{"clusters":[{"id":"cl_1"}],"next_cursor":"x"}';
  const { client, paths, run } = bench(first, "{", '{"clusters":[{"id":"cl_2"}]}');
  expect((await run(client.listClusters())).clusters.map(({ id }) => id)).toEqual(["cl_1", "cl_2"]);
  expect(paths).toEqual(["/v1/clusters", "/v1/clusters?cursor=x", "/v1/clusters?cursor=x"]);
});
