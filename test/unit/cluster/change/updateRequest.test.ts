import type { UpdateBody } from "../../../../provider/api/requests";
import { ApiError } from "../../../../provider/base/errors";
import { amend } from "../../../../provider/cluster/change/updateRequest";
import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import { type BenchOptions, closeAll, failureOf, openBench, openSettled, settle, writes } from "../harness";
import { checked } from "../inputs";

afterEach(closeAll);

const container = "a/b:2";
const env = { MODEL: "m" };
const whole: UpdateBody = { container, replicas: 2, env };
const spare: UpdateBody = { name: "web", gpuType: "h100" };

function refusal(said: string, status = 422, code?: string): ApiError {
  const outcome = status >= 500 ? "server-error" : status === 409 ? "busy" : "refused";
  return new ApiError(said, { method: "PATCH", path: "/", outcome, status, isApiAnswer: true, apiMessage: said, code });
}

/** The body after a refusal, where these fields have to change. */
function amended(error: ApiError, needed: (keyof UpdateBody)[] = [], body = whole): UpdateBody | undefined {
  const next = amend(body, error, { needed: new Set(needed), all: whole, spare, mayKeepRemoved: true });
  return next && JSON.parse(JSON.stringify(next));
}

describe("a field that the service does not want, and that need not change,", () => {
  it.each<[string, keyof UpdateBody, string?]>([
    ['Unknown field "replicas".', "replicas"],
    ["unrecognized key: replicas", "replicas"],
    ["body.replicas: Extra inputs are not permitted", "replicas"],
    ["replicas is not allowed", "replicas"],
    ["replicas is read-only here", "replicas"],
    ["additionalProperties: 'replicas'", "replicas"],
    ["see the documentation of replicas", "replicas", "unknown_field"],
    ["unexpected property Replicas", "replicas"],
    ["container cannot be changed", "container"],
    ["env is immutable", "env"],
    ["gpu_type cannot be changed", "gpuType"],
    ["unknown field gpuType", "gpuType"],
    ["name must not be given", "name"],
  ])("is left out after %j", (said, field, code = "") => {
    const body = { ...whole, ...spare };
    const { [field]: _gone, ...rest } = body;
    expect(amended(refusal(said, 422, code), [], body)).toEqual(rest);
    expect(amended(refusal(said, 400, code), [], body)).toEqual(rest);
  });

  it("is left out where the text names one that has to change besides", () => {
    const error = refusal("env cannot be changed together with replicas: replicas is not allowed");
    expect(amended(error, ["env"])).toEqual({ container, env });
  });
});

describe("a body stays as it is", () => {
  it.each<[string, ApiError, (keyof UpdateBody)[]]>([
    ["where the field has to change: container", refusal("unknown field container"), ["container"]],
    ["where the field has to change: env", refusal("env is not allowed"), ["container", "env"]],
    ["after a complaint about a value", refusal("env.X must be upper case"), []],
    ["after a complaint about a number", refusal("replicas must be at most 8"), []],
    ["after a complaint about a form", refusal("container is no image"), []],
    ["where no field is named", refusal("not allowed"), []],
    ["where only a longer word is like a field", refusal("unknown field environment_id, container_port"), []],
    ["where a field is missing that was sent", refusal("env is required"), []],
    ["where nobody knows the missing field", refusal("region is required"), []],
    ["after a conflict", refusal("unknown field replicas", 409), []],
    ["after a failure", refusal("unknown field replicas", 500), []],
    ["after a refusal of the key", refusal("replicas is not allowed", 403), []],
    ["after a conflict about a missing field", refusal("name is required", 409), []],
    ["after a failure about a missing field", refusal("name is required", 500), []],
  ])("%s", (_title, error, needed) => {
    expect(amended(error, needed)).toBeUndefined();
  });
});

it.each<[string, keyof UpdateBody]>([
  ['"name" is required.', "name"],
  ["body.name: Field required", "name"],
  ["missing field name", "name"],
  ["gpu_type is missing", "gpuType"],
  ["gpuType must be given", "gpuType"],
  ["body.gpu_type: Field required", "gpuType"],
])("a field that the service misses is added after %j", (said, field) => {
  expect(amended(refusal(said), ["env", "container"])).toEqual({ ...whole, [field]: spare[field] });
  // A service that misses a field may reset every other one that is missing.
  expect(amended(refusal(said), ["env"], { env })).toEqual({ ...whole, [field]: spare[field] });
});

it.each(["env.OLD must be a string", "null is not allowed", "the body is invalid", "env is not allowed"])(
  "a null is left out after %j, if the variable may stay",
  (said) => {
    const body = { env: { ...env, OLD: null } };
    expect(amended(refusal(said), ["env"], body)).toEqual({ env });
    const leeway = { needed: new Set(["env"] as const), all: whole, spare, mayKeepRemoved: false };
    expect(amend(body, refusal(said), leeway)).toBeUndefined();
    expect(amended(refusal(said, 409), ["env"], body)).toBeUndefined();
  },
);

it.each([
  "name, gpu_type, replicas, container, env: unknown or missing, required or not allowed",
  "env, container, replicas, gpu_type, name: unexpected, must be given",
])("a service that refuses every body with %j is asked few times", (said) => {
  let body: UpdateBody | undefined = whole;
  let rounds = 0;
  const leeway = { needed: new Set(["env"] as const), all: whole, spare, mayKeepRemoved: true };
  for (; body && rounds < 50; rounds += 1) body = amend(body, refusal(said), leeway);
  expect(rounds).toBeLessThanOrEqual(7);
});

describe("an update of env that is refused", () => {
  const news = { ...checked, env: { MODEL: "another-value" } };
  const all = { container: checked["container"], replicas: 2, env: news.env };
  const refused = (message: string, status = 422): Fault => ({ kind: "status", status, message, method: "PATCH" });

  it.each<[string, Fault, Properties, object]>([
    [
      "for the replicas is sent without them",
      refused("replicas is not allowed", 400),
      { replicas: 4 },
      { env: news.env },
    ],
    ["for a missing name is sent as a whole", refused("body.name: Field required"), {}, { ...all, name: "web" }],
    ["for a missing GPU type is sent as a whole", refused('"gpu_type" is required.'), {}, { ...all, gpu_type: "h100" }],
    ["for missing replicas is sent as a whole", refused("replicas must be present"), {}, all],
  ])("%s", async (_title, fault, others, body) => {
    const { bench, id, state } = await openSettled(checked);
    // What the simulator itself makes of the second body does not matter here.
    bench.simulator.fault(fault);
    await bench.run(bench.cluster.update(bench.ctx(), id, state, { ...news, ...others }).catch(() => undefined));
    const patches = bench.simulator.requests.filter(({ method }) => method === "PATCH");
    expect(patches.map((request) => request.body).slice(0, 2)).toEqual([{ ...others, env: news.env }, body]);
  });

  it.each<[string, Fault]>([
    ["for its own field", refused("env is not allowed")],
    ["for a value", refused("env.MODEL must be upper case")],
    ["by the key", refused("replicas is not allowed", 403)],
  ])("%s fails after one request, with the reason", async (_title, fault) => {
    const { bench, id, state } = await openSettled(checked);
    bench.simulator.fault({ ...fault, times: 100 });
    const error = await bench.run(failureOf(bench.cluster.update(bench.ctx(), id, state, news)));
    expect(error.message).toContain("message" in fault && fault.message);
    expect(writes(bench.simulator)).toEqual(["PATCH /v1/clusters/:id"]);
  });
});

describe("a service that shows no names of requests, and takes no replicas with an update,", () => {
  it("gets the names of the specification again, without the field", async () => {
    const bench = await openBench({ dialect: { updateFields: "no-replicas" }, wire: withoutGpuType });
    const { id, state } = await settle(bench, { ...checked, env: { MODE: "a" } });
    const wanted = { ...checked, env: { MODE: "b" } };
    await bench.run(bench.cluster.update(bench.ctx(), id, state, wanted));
    expect(bench.simulator.cluster(id)?.deployed.env).toEqual({ MODE: "b" });
  });
});

const withoutGpuType: NonNullable<BenchOptions["wire"]> = (real) => async (request) => {
  const answer = await real(request);
  return { ...answer, body: answer.body.replaceAll(/"gpu_type":"[^"]*",?/g, "") };
};
