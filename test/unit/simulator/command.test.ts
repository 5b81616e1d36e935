import { createServer } from "node:net";
import { dialectOptions, dialects } from "../../../simulator";
import { parseCli, readyText, usage } from "../../../simulator/cliOptions";
import { dialectSummaries, parseDialect, resolveDialect } from "../../../simulator/dialects";
import { run } from "../../../simulator/main";
import { read } from "../../support/repository";

const allOptions = Object.entries<readonly unknown[]>(dialectOptions);

describe("the options of the command", () => {
  it("are all read", () => {
    const fault = { kind: "drop", when: "after", method: "POST" };
    const args =
      "--port 8080 --api-key k --dialect strict --verbose --provisioning-ms 1 --deletion-ms 2 --rate-limit 3 --rate-window-ms 4 --latency-ms 5 --list-lag-ms 6 --exit-with-stdin";
    expect(parseCli([...args.split(" "), "--fault", JSON.stringify(fault), `--fault={"kind":"truncate"}`])).toEqual({
      command: "run",
      isVerbose: true,
      exitWithStdin: true,
      options: {
        port: 8080,
        apiKeys: { k: "org_default" },
        dialect: "strict",
        provisioningMs: 1,
        deletionMs: 2,
        rateLimit: 3,
        rateWindowMs: 4,
        latencyMs: 5,
        listLagMs: 6,
        faults: [fault, { kind: "truncate" }],
      },
    });
  });

  it("fix port and key by default, and a dialect can be options in JSON", () => {
    const options = { port: 8478, apiKeys: { "sim-key": "org_default" }, dialect: "plain" };
    expect(parseCli([])).toMatchObject({ options, isVerbose: false, exitWithStdin: false });
    const dialect = { updateMethod: "PUT", paging: "cursor" };
    expect(parseCli(["--dialect", JSON.stringify(dialect)])).toMatchObject({ options: { dialect } });
  });

  it.each([
    [["--prot", "1"], "--prot"],
    [["--latency-ms", "x"], '--latency-ms must be a whole number, got "x".'],
    [["--port", "65536"], '--port must be a whole number of at most 65535, got "65536".'],
    [["--api-key", ""], "--api-key must be a key without spaces, and not empty."],
    [["--dialect", "klingon"], 'Unknown dialect "klingon". Known: plain, minimal, strict, documented, client.'],
    [["--dialect", '{"updateMethod":"DELETE"}'], 'updateMethod must be PATCH | PUT | POST | none, got "DELETE"'],
    [["--fault", "{"], '--fault must be JSON, got "{".'],
    [["--fault", '{"kind":"boom"}'], "Not a fault: kind: must be one of drop, status"],
    [["--fault", '{"kind":"drop","whne":"after"}'], 'Unrecognized key: "whne"'],
  ])("are refused with a reason if invalid: %j", (args, reason) => {
    expect(parseCli(args)).toEqual({ command: "fail", message: expect.stringContaining(reason) });
  });

  it("are in --help, within 80 columns: each service, kind of fault, and decision with plain's value first", () => {
    expect(parseCli(["--help"])).toEqual({ command: "help" });
    const lines = usage.split("\n");
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(usage).toMatch(/^ {2}sick-replica +replica, message, container\?$/m);
    for (const [option, values] of allOptions) {
      const words = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
      const line = expect.stringContaining(`  ${words.join(" | ")}`);
      expect(lines.filter((each) => each.startsWith(`  ${option} `))).toEqual([line]);
    }
    for (const [name, summary] of Object.entries(dialectSummaries)) {
      const [start = ""] = summary.split(" (");
      expect(usage.replace(/\s+/g, " ")).toContain(` ${name} ${start}`);
      expect(read("docs/guides/testing.md")).toMatch(new RegExp(`^\\| \`${name}\`.* \\| ${start}.* \\|$`, "m"));
    }
  });
});

describe("the options of a service", () => {
  it("change plain, which has the first value of each", () => {
    expect(dialects.plain).toEqual(Object.fromEntries(allOptions.map(([option, [first]]) => [option, first])));
    const changes = { updateMethod: "PUT", injectedEnv: { REGION: "eu" } } as const;
    expect(resolveDialect({ ...changes, listShape: undefined })).toEqual({ ...dialects.plain, ...changes });
  });

  it("have one line each on the page for contributors, with all their values", () => {
    const page = read("CONTRIBUTING.md");
    for (const [option, values] of allOptions) {
      const [, line = ""] = new RegExp(`^\\| \`${option}\` \\| (.*)$`, "m").exec(page) ?? [];
      const missing = values.filter((value) => typeof value !== "object" && !line.includes(`\`${value}\``));
      expect({ option, line: line !== "", missing }).toEqual({ option, line: true, missing: [] });
    }
  });

  it.each<[unknown, string]>([
    [{ updatMethod: "PUT" }, '"updatMethod" is not an option. Known: listShape, paging, recordShape'],
    [{ uniqueNames: "true" }, 'uniqueNames must be false | true, got "true"'],
    [{ injectedEnv: { A: 1 } }, "another object of strings, got"],
    [null, "it must be an object"],
  ])("are refused if invalid: %j", (value, reason) => {
    expect(() => parseDialect(value)).toThrow(reason);
  });
});

/** The process without its streams: what the command prints, and its end by a signal. */
async function started(...args: string[]) {
  const lines: string[] = [];
  jest.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const { out } = await run(args);
  const { url, apiKey } = JSON.parse(out);
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const ended = new Promise((resolve) => jest.spyOn(process, "exit").mockImplementation(resolve as () => never));
  return { url, apiKey, headers, lines, end: () => process.emit("SIGTERM") && ended };
}

describe("the command", () => {
  afterEach(() => jest.restoreAllMocks());

  it("prints what it is, and lines for a shell; programs get JSON", () => {
    const ready = { url: "http://127.0.0.1:8080", apiKey: "it's", pid: 7 };
    const [introduction, ...lines] = readyText(ready, true).split("\n");
    expect(introduction).toMatch(/^A simulated GPU cluster service\. Run these lines .*; Ctrl-C/);
    expect(lines).toEqual([
      "export GPUCLUSTER_BASE_URL=http://127.0.0.1:8080",
      "export GPUCLUSTER_API_KEY='it'\\''s'",
      "",
    ]);
    expect(readyText(ready, false)).toBe(`${JSON.stringify(ready)}\n`);
  });

  it("has the same key at each start, not the one of the environment, and a line for each request with --verbose", async () => {
    process.env["GPUCLUSTER_API_KEY"] = "canary-of-a-real-service";
    const { url, apiKey, headers, lines, end } = await started("--port", "0", "--verbose");
    expect(apiKey).toBe("sim-key");
    await fetch(`${url}/v1/clusters`, { headers });
    await fetch(`${url}/v1/clusters?key=canary`, { method: "POST", headers, body: '{"name":"canary"}' });
    await fetch(`${url}/health`);
    expect(await end()).toBe(0);
    const withoutTimes = lines.map((line) => line.replace(/ \d+ ms\n$/, ""));
    expect(withoutTimes).toEqual(["GET /v1/clusters 200", "POST /v1/clusters 400", "GET /health 401"]);
  });

  it("serves the endpoints of its clusters: whether one is healthy, and a completion that says that no model runs", async () => {
    const { url, headers, end } = await started("--port", "0", "--provisioning-ms", "300");
    const body = JSON.stringify({ name: "web", gpu_type: "h100", replicas: 1, container: "acme/model:1" });
    const created = await fetch(`${url}/v1/clusters`, { method: "POST", headers, body });
    const { endpoint } = Object(await created.json());
    expect((await fetch(`${endpoint}/health`)).status).toBe(503);
    await new Promise((later) => setTimeout(later, 350));
    expect((await fetch(`${endpoint}/health`)).status).toBe(200);
    const completion = await fetch(`${endpoint}/v1/chat/completions`, { method: "POST", body: '{"messages":[]}' });
    expect(await completion.json()).toMatchObject({
      model: "acme/model:1",
      choices: [{ message: { content: expect.stringMatching(/of "web". It is simulated: no model runs/) } }],
    });
    expect((await fetch(new URL("/other/health", endpoint))).status).toBe(404);
    await end();
  });

  it("says what to do if its port is taken", async () => {
    const other = createServer();
    const port = await new Promise((listening) =>
      other.listen(0, "127.0.0.1", () => listening(Object(other.address()).port)),
    );
    expect(await run(["--port", `${port}`])).toEqual({
      code: 1,
      out: "",
      err: `pulumi-gpucluster: port ${port} of 127.0.0.1 is taken, perhaps by another simulator.\nEnd that program, or choose another port; --port 0 takes a free one.\n`,
    });
    await new Promise((closed) => other.close(closed));
  });
});
