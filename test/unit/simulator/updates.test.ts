import type { Dialect } from "../../../simulator";
import { startWithCluster, stopAll, web } from "./harness";

afterEach(stopAll);

test.each(["PUT", "POST"] as const)("the update method can be %s", async (updateMethod) => {
  const { call, path } = await startWithCluster({ dialect: { updateMethod } });
  expect((await call(`${updateMethod} ${path}`, { replicas: 4 })).body.replicas).toBe(4);
  expect((await call(`PATCH ${path}`, { replicas: 5 })).status).toBe(405);
});

test.each<[Dialect["updateRefusal"], Dialect["refusalAllow"], string, string | null]>([
  [405, "named", "method_not_allowed", "GET, PUT, DELETE"],
  [405, "unnamed", "method_not_allowed", null],
  [404, "named", "not_found", null],
  [404, "unnamed", "not_found", null],
  [501, "named", "not_implemented", "GET, PUT, DELETE"],
  [501, "unnamed", "not_implemented", null],
])(
  "the other methods are refused with %d, and the allowed methods are %s",
  async (updateRefusal, refusalAllow, code, allow) => {
    const { call, path, simulator, id } = await startWithCluster({
      dialect: { updateMethod: "PUT", updateRefusal, refusalAllow },
    });
    for (const method of ["PATCH", "POST"]) {
      const reply = await call(`${method} ${path}`, { replicas: 4 });
      expect([reply.status, reply.body.error.code, reply.headers.get("allow")]).toEqual([updateRefusal, code, allow]);
      expect(reply.body.error.message.includes("PUT")).toBe(allow !== null);
    }
    expect(simulator.cluster(id)?.replicas).toBe(3);
  },
);

test.each<[Dialect["updateSemantics"], unknown, Record<string, string>]>([
  ["merge", { C: "3" }, { C: "3" }],
  ["merge", {}, {}],
  ["merge-keys", { C: "3" }, { A: "1", C: "3" }],
  ["merge-keys", { A: "2" }, { A: "2" }],
  ["merge-keys", { A: null, C: "3" }, { C: "3" }],
  ["merge-keys", { X: null }, { A: "1" }],
  ["merge-keys", {}, { A: "1" }],
  ["replace", { C: "3" }, { C: "3" }],
  ["replace", undefined, {}],
])("with the semantics %s, env %j makes %j out of A=1", async (updateSemantics, env, expected) => {
  const { call, path, simulator, id } = await startWithCluster({ dialect: { updateSemantics } });
  const { status } = await call(`PATCH ${path}`, { replicas: 3, container: web.container, env });
  expect(status).toBe(200);
  expect(simulator.cluster(id)).toMatchObject({ env: expected, replicas: 3 });
  expect(Object.keys(simulator.cluster(id)?.env ?? {})).toEqual(Object.keys(expected));
});

test.each<[Dialect["updateSemantics"], unknown, string]>([
  ["merge", {}, "changes nothing"],
  ["merge", { env: { A: null } }, '"env.A" must be a string'],
  ["merge-keys", {}, "changes nothing"],
  ["merge-keys", { env: { A: 1 } }, '"env.A" must be a string or null'],
  ["merge-keys", { env: null }, '"env" must be an object'],
  ["replace", { replicas: 3 }, '"container" is missing'],
  ["replace", { container: web.container }, '"replicas" is missing'],
  ["replace", { replicas: 3, container: web.container, env: { A: null } }, '"env.A" must be a string'],
  ["replace", { replicas: 3, container: web.container, name: "other" }, '"name" cannot be changed'],
])("with the semantics %s, the update %j is refused", async (updateSemantics, body, reason) => {
  const { call, path, simulator, id } = await startWithCluster({ dialect: { updateSemantics } });
  const reply = await call(`PATCH ${path}`, body);
  expect(reply.status).toBe(400);
  expect(reply.body.error.message).toContain(reason);
  expect(simulator.cluster(id)).toMatchObject({ env: web.env, status: "running" });
});

test.each<Dialect["updateSemantics"]>(["merge", "merge-keys", "replace"])(
  "an update without the field replicas refuses it by name, and keeps the number (%s)",
  async (updateSemantics) => {
    const { call, path, simulator, id } = await startWithCluster({
      dialect: { updateSemantics, updateFields: "no-replicas" },
    });
    const change = { container: web.container, env: { B: "2" } };
    const refused = await call(`PATCH ${path}`, { ...change, replicas: 4 });
    expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_request"]);
    expect(refused.body.error.message).toContain('Unknown field "replicas"');
    expect((await call(`PATCH ${path}`, change)).status).toBe(200);
    expect(simulator.cluster(id)).toMatchObject({ replicas: 3, env: { B: "2" } });
    expect((await call(`POST ${path}/scale`, { replicas: 4 })).body.replicas).toBe(4);
  },
);

test("a replacing update may contain fixed fields unchanged, and rolls out", async () => {
  const { call, path, simulator, id } = await startWithCluster({
    dialect: { updateMethod: "PUT", updateSemantics: "replace" },
  });
  const { container, name, gpu_type } = web;
  expect((await call(`PUT ${path}`, { replicas: 4, container, name, gpu_type })).status).toBe(200);
  expect(simulator.cluster(id)).toMatchObject({ replicas: 4, env: {}, status: "updating" });
});
