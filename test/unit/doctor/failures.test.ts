import { recorder } from "../../../provider/doctor/examine";
import type { Fault } from "../../../simulator";
import { serve } from "../api/http/httpHarness";
import { canaries, environmentOf, examined, findingOf, openService, run } from "./harness";

const always = { times: 1_000 };

/** The output of the command for a service with this fault at a path, or with this body. */
const examinedWith = async (path: string, fault: Fault | string) => {
  const answer: Fault = typeof fault === "string" ? { kind: "body", body: fault } : fault;
  return examined(await openService({ faults: [{ ...answer, path, ...always }] }));
};

test("the doctor names the setting that is missing, and where it looked", async () => {
  const { code, err } = await run([], { GPUCLUSTER_BASE_URL: "https://api.example.com" });
  expect(code).toBe(1);
  expect(err).toMatch(
    /^pulumi-gpucluster: The API key is missing: .*\.\nConfig: the environment: this folder is in no Pulumi project\.\n$/,
  );
  expect(err).not.toContain("The address");
});

test("the doctor shows its usage, and refuses any other option", async () => {
  expect(await run(["--help"], {})).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: .* doctor/) });
  expect(await run(["--all"], {})).toMatchObject({ code: 2, out: "", err: expect.stringContaining("--all") });
});

test("the doctor refuses to send a write", async () => {
  const send = recorder(new Map(), { now: () => 0 }, () => Promise.reject(new Error("sent")));
  const write = send({ method: "POST", path: "/v1/clusters", kind: "create" });
  await expect(write).rejects.toThrow("a write must not be sent: POST");
});

describe("the doctor of a service without answers", () => {
  it("sends one request if nothing is at the address", async () => {
    const { code, report, text } = await examined({ url: "http://127.0.0.1:1" });
    expect(code).toBe(1);
    expect(report).toMatchObject({ canManage: false, requests: 1 });
    expect(report.facts["Verdict"]).toContain("no answer");
    expect(text).toMatch(/\n\nNext +Check the address, and whether this machine can reach it\.\n$/);
  });

  it("ends in time if the service is silent after its list of clusters", async () => {
    const silent = await openService({ faults: [{ kind: "delay", ms: 60_000, path: "/v1/gpus**", ...always }] });
    const startMs = Date.now();
    const { code, out } = await run(["--json"], environmentOf(silent));
    expect(Date.now() - startMs).toBeLessThan(10_000);
    expect(code).toBe(0);
    expect(findingOf(JSON.parse(out), "/v1/gpus/pricing")).toMatchObject({
      state: "no answer",
      detail: expect.stringContaining("no complete answer came in time"),
    });
  }, 20_000);
});

describe("the doctor of a key", () => {
  it("tries a refused key with few endpoints", async () => {
    const simulator = await openService();
    const { code, out } = await run([], environmentOf(simulator, "sk-canary-that-is-wrong"));
    expect(code).toBe(1);
    expect(out).toMatch(/^Verdict +no cluster can be managed: the key is refused$/m);
    expect(out).toMatch(/\n\nNext +Check the key: the service does not know it\.\n$/);
    expect(out).not.toContain("canary");
    expect(simulator.requests.length).toBeLessThan(4);
  });

  it.each<[path: string, code: 0 | 1, verdict: RegExp]>([
    ["/v1/clusters", 1, /the key may not list clusters/],
    ["/v1/gpus/pricing", 0, /a cluster can be managed/],
  ])("%s: says that the key may not read it", async (path, expected, verdict) => {
    const fault: Fault = { kind: "status", status: 403, code: "forbidden", message: canaries.name };
    const { code, report, all } = await examinedWith(path, fault);
    expect(code).toBe(expected);
    expect(report.facts["Verdict"]).toMatch(verdict);
    expect(findingOf(report, path)).toMatchObject({ state: "not allowed", detail: "HTTP 403, forbidden" });
    expect(all).not.toContain(canaries.name);
  });

  it("shows that the rate limit is used up, and does not wait for it", async () => {
    const simulator = await openService({ rateLimit: 5 });
    const { out } = await run([], environmentOf(simulator));
    expect(out).toMatch(/^Rate limit +used up: 5 in a window, 0 left, the window ends in \d+ s$/m);
    const { code, report } = await examined(simulator);
    expect(code).toBe(1);
    expect(report.requests).toBe(1);
    expect(report.facts["Verdict"]).toContain("the rate limit of the key is used up");
    expect(report.advice).toEqual([expect.stringMatching(/^Run this command again after the window/)]);
  });

  it("hides the key where the service quotes it", async () => {
    const { key } = canaries;
    const gpuTypes = [{ type: key, name: `GPU of ${key}`, memoryGb: 8, pricePerHour: 1, stock: 1 }];
    const fault: Fault = { kind: "status", status: 400, code: key, message: key, path: "/health", ...always };
    const { all } = await examined(await openService({ gpuTypes, faults: [fault] }, 0));
    expect(all).toContain("[secret]");
    expect(all).not.toContain(key);
  });
});

describe("the doctor of a list of clusters that cannot be read", () => {
  it("advises to check the address if the list is a web page", async () => {
    const page = `<html>${canaries.key}</html>`;
    const { code, report } = await examined(await serve((_request, response) => response.end(page)));
    expect(code).toBe(1);
    const finding = { endpoint: "GET /v1/clusters", state: "not readable", detail: "it is a web page" };
    expect(report.endpoints[0]).toEqual(finding);
    expect(report.advice[0]).toMatch(/^Check the address: .*ends before \/v1/);
  });

  it("shows its shape, with known names of fields only", async () => {
    const env = { MODEL: canaries.env };
    const body = JSON.stringify({ page: [{ size: 3, env }, { label: canaries.name }], [canaries.name]: env });
    const shape = "{page: [{env: {…: string}, …: number}, {label: string}], …: {…: string}}";
    const { code, report, text, all } = await examinedWith("/v1/clusters", body);
    expect(code).toBe(1);
    expect(report.endpoints[0]).toMatchObject({ state: "not readable", shape });
    expect(report.advice).toEqual([expect.stringContaining("Send this output to the maintainers")]);
    expect(text).toContain(`\n      ${shape}\n`);
    for (const canary of Object.values(canaries)) expect(all).not.toContain(canary);
  });

  it("hides the message of an error in a success", async () => {
    const body = JSON.stringify({ error: { code: "internal", message: canaries.env, status: 500 } });
    const { report, all } = await examinedWith("/v1/clusters", body);
    expect(report.endpoints[0]).toMatchObject({ state: "not readable", detail: "it reports an error" });
    expect(report.endpoints[0]).not.toHaveProperty("shape");
    expect(all).not.toContain(canaries.env);
  });
});

describe("the doctor of a list of GPU types that cannot be read", () => {
  it("shows its shape in few words: known names, and never a value", async () => {
    const body = JSON.stringify({
      greeting: "hello",
      access_token: "s3cret",
      of: canaries.name,
      models: "none",
      numbers: Array.from({ length: 100 }, (_, index) => index + 1_000_000_000),
      deep: { data: { data: { data: { data: 1 } } } },
      "": Object.fromEntries([...Array(300).keys()].map((index) => [`status${"-".repeat(index)}`, null])),
    });
    const { code, report, all } = await examinedWith("/v1/gpus", body);
    const { shape = "", state } = findingOf(report, "/v1/gpus") ?? {};
    expect({ code, state }).toEqual({ code: 0, state: "not readable" });
    expect(shape).toMatch(
      /^\{models: string, …: string, …: \[number\], …: \{data: \{data: \{data: \{…\}\}\}\}, …: \{status: null, /,
    );
    expect(shape.length).toBeLessThanOrEqual(401);
    expect(all).not.toMatch(/hello|s3cret|1000000000|greeting/);
    expect(all).not.toContain(canaries.name);
    expect(report.advice).toContainEqual(expect.stringContaining("gpucluster:previewChecks to `warn`"));
  });
});

test("the doctor advises a setting for a service that reports no replica health", async () => {
  const fault: Fault = { kind: "status", status: 404, code: "not_found" };
  const { report } = await examinedWith("/v1/clusters/*/status", fault);
  expect(report.facts["Health"]).toMatch(/^none: /);
  expect(report.advice).toEqual([
    expect.stringContaining("Set `skipAwait: true` on clusters that do not become ready"),
  ]);
});

/** test/engine/doctor.test.ts has the settings of a real stack. */
test("the doctor refuses a wrong setting before any request", async () => {
  const { url, requests } = await openService();
  const config = new Map([["gpucluster:baseUrl", url]]).set("gpucluster:previewChecks", "yes");
  const stack = { name: "dev", readConfig: (name: string) => config.get(name) };
  const { code, err } = await run([], { GPUCLUSTER_API_KEY: canaries.key }, async () => stack);
  expect(code).toBe(1);
  expect(err).toMatch(/^pulumi-gpucluster: gpucluster:previewChecks must be .*\nConfig: the stack dev, then/);
  expect(requests).toEqual([]);
});
