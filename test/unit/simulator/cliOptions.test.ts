import { parseCli, readyText, usage } from "../../../simulator/cliOptions";
import { dialectOptions } from "../../../simulator/dialectOptions";

test("every option of the command line is read", () => {
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

test("port and key are fixed by default, and a dialect can be options in JSON", () => {
  const options = { port: 8478, apiKeys: { "sim-key": "org_default" }, dialect: "plain" };
  expect(parseCli([])).toMatchObject({ options, isVerbose: false, exitWithStdin: false });
  const dialect = { updateMethod: "PUT", paging: "cursor" };
  expect(parseCli(["--dialect", JSON.stringify(dialect)])).toMatchObject({ options: { dialect } });
});

test("--help has a line for each kind of fault, and for each option of a service with plain's value first", () => {
  expect(Math.max(...usage.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(116);
  expect(parseCli(["--help"])).toEqual({ command: "help" });
  expect(usage).toMatch(/^ {2}sick-replica +replica, message, container\?$/m);
  for (const [option, values] of Object.entries<readonly unknown[]>(dialectOptions)) {
    const words = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
    expect(usage.split("\n").filter((line) => line.startsWith(`  ${option} `))).toEqual([
      expect.stringContaining(`  ${words.join(" | ")}`),
    ]);
  }
});

test.each([
  [["--prot", "1"], "--prot"],
  [["--latency-ms", "x"], '--latency-ms must be a whole number, got "x".'],
  [["--port", "65536"], '--port must be a whole number of at most 65535, got "65536".'],
  [["--api-key", ""], "--api-key must be a key without spaces, and not empty."],
  [["--dialect", "klingon"], 'Unknown dialect "klingon". Known: plain, minimal, strict, documented, client.'],
  [["--dialect", '{"updateMethod":"DELETE"}'], 'updateMethod must be PATCH | PUT | POST | none, got "DELETE"'],
  [["--fault", "{"], '--fault must be JSON, got "{".'],
  [["--fault", '{"kind":"boom"}'], "Not a fault: kind: must be one of drop, status"],
  [["--fault", '{"kind":"drop","whne":"after"}'], 'Unrecognized key: "whne"'],
])("invalid options are refused with a reason: %j", (args, reason) => {
  expect(parseCli(args)).toEqual({ command: "fail", message: expect.stringContaining(reason) });
});

test("a ready simulator prints what it is, and lines for a shell; programs get JSON", () => {
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
