import { dialectHelp, parseCli, readyText, usage } from "../../../simulator/cliOptions";
import { dialectOptions } from "../../../simulator/dialectOptions";

test("without arguments every option has its default", () => {
  expect(parseCli([], {})).toEqual({
    command: "run",
    dialectName: "plain",
    exitWithStdin: false,
    options: { dialect: "plain" },
  });
});

test("every option is read", () => {
  const fault = { kind: "drop", when: "after", method: "POST" };
  const args =
    "--port 8080 --api-key k --dialect terse --provisioning-ms 1 --deletion-ms 2 --rate-limit 3 --rate-window-ms 4 --latency-ms 5 --list-lag-ms 6 --sold-out-ms 7 --exit-with-stdin";
  expect(parseCli([...args.split(" "), "--fault", JSON.stringify(fault), `--fault={"kind":"truncate"}`], {})).toEqual({
    command: "run",
    dialectName: "terse",
    exitWithStdin: true,
    options: {
      port: 8080,
      apiKeys: { k: "org_default" },
      dialect: "terse",
      provisioningMs: 1,
      deletionMs: 2,
      rateLimit: 3,
      rateWindowMs: 4,
      latencyMs: 5,
      listLagMs: 6,
      soldOutMs: 7,
      faults: [fault, { kind: "truncate" }],
    },
  });
});

test("the key comes from the environment unless it is an argument", () => {
  const env = { GPUCLUSTER_API_KEY: "from-env" };
  expect(parseCli([], env)).toMatchObject({ options: { apiKeys: { "from-env": "org_default" } } });
  expect(parseCli(["--api-key", "k"], env)).toMatchObject({ options: { apiKeys: { k: "org_default" } } });
});

test("--help prints the help text", () => {
  expect(parseCli(["--help"], {})).toEqual({ command: "help" });
  expect(usage).toContain("plain, terse, careful, documented, client;");
  expect(usage).toContain("--list-dialects");
});

test("a dialect can be given as options in JSON", () => {
  const text = '{"updateMethod":"PUT","paging":"cursor"}';
  expect(parseCli(["--dialect", text], {})).toMatchObject({
    command: "run",
    dialectName: text,
    options: { dialect: { updateMethod: "PUT", paging: "cursor" } },
  });
});

test("the list of the dialects has a line per option with all its values, plain's first", () => {
  expect(parseCli(["--list-dialects"], {})).toEqual({ command: "list-dialects" });
  const lines = dialectHelp.split("\n");
  for (const [option, values] of Object.entries<readonly unknown[]>(dialectOptions)) {
    const line = lines.filter((candidate) => candidate.trim().split(" ")[0] === option);
    const words = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
    expect(line).toEqual([expect.stringContaining(`  ${words.join(" | ")}`)]);
  }
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test.each([
  [["--prot", "1"], "--prot"],
  [["extra"], "extra"],
  [["--port", "x"], '--port must be a whole number, got "x".'],
  [["--port", "70000"], "at most 65535"],
  [["--latency-ms", "-1"], "--latency-ms"],
  [["--sold-out-ms", "x"], "--sold-out-ms"],
  [["--list-lag-ms", "1s"], "--list-lag-ms must be a whole number"],
  [["--dialect", "klingon"], 'Unknown dialect "klingon". Known: plain, terse, careful, documented'],
  [["--dialect", "{"], '--dialect must be JSON, got "{".'],
  [["--dialect", '{"updateMethod":"DELETE"}'], 'updateMethod must be PATCH | PUT | POST | none, got "DELETE"'],
  [["--api-key", "a b"], "white space"],
  [["--fault", "{"], "--fault must be JSON"],
  [["--fault", '{"kind":"boom"}'], "Not a fault: kind: must be one of drop, status"],
  [
    ["--fault", '{"kind":"drop","when":"later"}'],
    'Not a fault: when: Invalid option: expected one of "before"|"after"',
  ],
  [["--fault", '{"kind":"flap","replica":0,"flaps":1}'], "periodMs: Invalid input: expected number"],
  [["--fault", '{"kind":"drop","whne":"after"}'], 'Unrecognized key: "whne"'],
  [["--fault", '{"kind":"status","status":500,"headers":{"a":1}}'], "headers: a: Invalid input: expected string"],
])("%j is refused with a reason", (args, reason) => {
  expect(parseCli(args, {})).toEqual({ command: "fail", message: expect.stringContaining(reason) });
});

describe("what is printed when the simulator is ready", () => {
  const ready = { url: "http://127.0.0.1:8080", apiKey: "it's", dialect: "plain", pid: 7 };

  it("is one line that says what it is and how to use it, and lines for a shell, on a terminal", () => {
    const [what, ...lines] = readyText(ready, true).split("\n");
    expect(what).toMatch(/^A simulated GPU cluster service\. Run these lines .*; Ctrl-C/);
    expect(lines).toEqual([
      "export GPUCLUSTER_BASE_URL=http://127.0.0.1:8080",
      "export GPUCLUSTER_API_KEY='it'\\''s'",
      "",
    ]);
  });

  it("is one line of JSON for programs", () => {
    expect(readyText(ready, false)).toBe(`${JSON.stringify(ready)}\n`);
  });
});

test("--help lists every kind of fault with its fields", () => {
  expect(usage).toMatch(/^ {2}drop +when\?$/m);
  expect(usage).toMatch(/^ {2}sick-replica +replica, message, container\?$/m);
});
