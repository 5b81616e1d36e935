import { parseCli, readyText, usage } from "../../../simulator/cliOptions";
import { dialectOptions } from "../../../simulator/dialectOptions";

test("every option is read", () => {
  const fault = { kind: "drop", when: "after", method: "POST" };
  const args =
    "--port 8080 --api-key k --dialect terse --provisioning-ms 1 --deletion-ms 2 --rate-limit 3 --rate-window-ms 4 --latency-ms 5 --list-lag-ms 6 --exit-with-stdin";
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
      faults: [fault, { kind: "truncate" }],
    },
  });
});

test("the key comes from the environment unless it is an argument; a dialect may be options in JSON", () => {
  const env = { GPUCLUSTER_API_KEY: "from-env" };
  expect(parseCli([], env)).toMatchObject({ options: { dialect: "plain", apiKeys: { "from-env": "org_default" } } });
  expect(parseCli(["--api-key", "k"], env)).toMatchObject({ options: { apiKeys: { k: "org_default" } } });
  const dialect = { updateMethod: "PUT", paging: "cursor" };
  expect(parseCli(["--dialect", JSON.stringify(dialect)], {})).toMatchObject({ options: { dialect } });
});

test("--help has a line for each kind of fault, and for each option of a dialect with plain's value first", () => {
  expect(parseCli(["--help"], {})).toEqual({ command: "help" });
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
  [["--port", "x"], '--port must be a whole number, got "x".'],
  [["--dialect", "klingon"], 'Unknown dialect "klingon". Known: plain, terse, careful, documented'],
  [["--dialect", '{"updateMethod":"DELETE"}'], 'updateMethod must be PATCH | PUT | POST | none, got "DELETE"'],
  [["--fault", "{"], '--fault must be JSON, got "{".'],
  [["--fault", '{"kind":"boom"}'], "Not a fault: kind: must be one of drop, status"],
  [["--fault", '{"kind":"drop","whne":"after"}'], 'Unrecognized key: "whne"'],
])("%j is refused with a reason", (args, reason) => {
  expect(parseCli(args, {})).toEqual({ command: "fail", message: expect.stringContaining(reason) });
});

test("a ready simulator says in one line what it is, and sets the shell's variables; programs get JSON", () => {
  const ready = { url: "http://127.0.0.1:8080", apiKey: "it's", dialect: "plain", pid: 7 };
  const [what, ...lines] = readyText(ready, true).split("\n");
  expect(what).toMatch(/^A simulated GPU cluster service\. Run these lines .*; Ctrl-C/);
  expect(lines).toEqual([
    "export GPUCLUSTER_BASE_URL=http://127.0.0.1:8080",
    "export GPUCLUSTER_API_KEY='it'\\''s'",
    "",
  ]);
  expect(readyText(ready, false)).toBe(`${JSON.stringify(ready)}\n`);
});
