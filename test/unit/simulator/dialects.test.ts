import {
  type Dialect,
  dialectOptions,
  dialects,
  furtherOptions,
  publishedDialects,
  startSimulator,
} from "../../../simulator";
import { coveringRows, tunedMixes } from "../../../simulator/coveringDialects";
import { parseDialect, resolveDialect } from "../../../simulator/dialects";
import { start, stopAll, web } from "./harness";

afterEach(stopAll);

const options: [string, readonly unknown[]][] = Object.entries(dialectOptions);
const covering = Object.entries(dialects).filter(([name]) => name !== "documented");
const readings = covering.map(([, dialect]) => new Map<string, unknown>(Object.entries(dialect)));
const { client } = publishedDialects;

test("the dialects have every pair of values of every two options, and are not many more than needed", () => {
  const pairs = options.flatMap(([left, leftValues], index) =>
    options
      .slice(index + 1)
      .flatMap(([right, rightValues]) =>
        leftValues.flatMap((one) => rightValues.map((other) => [left, one, right, other] as const)),
      ),
  );
  const missing = pairs.filter(
    ([left, one, right, other]) => !readings.some((each) => each.get(left) === one && each.get(right) === other),
  );
  expect([missing, pairs.length > 5000]).toEqual([[], true]);
  const [longest = 0, second = 0] = options.map(([, values]) => values.length).sort((left, right) => right - left);
  expect([readings.length >= 6, readings.length <= 2 * longest * second, longest <= 3]).toEqual([true, true, true]);
  expect(new Set(covering.map(([, dialect]) => JSON.stringify(dialect))).size).toBe(readings.length);
});

test("each dialect has for each option one of its values, plain the first, and every further option's first", () => {
  const firsts = (table: object) =>
    Object.fromEntries(Object.entries(table).map(([option, [first]]) => [option, first]));
  for (const [option, values] of options) {
    expect([option, values.length > 1, new Set(values).size]).toEqual([option, true, values.length]);
    for (const reading of readings) expect(values).toContain(reading.get(option));
  }
  for (const [, dialect] of covering) expect(dialect).toMatchObject({ ...firsts(furtherOptions), pageSize: 2 });
  expect(dialects["plain"]).toEqual({ ...firsts(dialectOptions), ...firsts(furtherOptions), pageSize: 2 });
});

test("the tuned mixes have a digit of a value for each option and no other", () => {
  expect(Object.keys(tunedMixes)).toEqual(options.map(([option]) => option));
  for (const [option, values] of options) {
    const digits = [...(tunedMixes[option] ?? "")];
    expect([digits.length, digits.every((digit) => Number(digit) < values.length)]).toEqual([
      readings.length - 2,
      true,
    ]);
  }
});

test.each<[string, number[], number[][], number]>([
  ["two options need each pair once", [3, 2], [], 6],
  ["three options of two values need four rows", [2, 2, 2], [], 4],
  ["one option makes no pairs", [4], [], 0],
  [
    "no further row covers the pairs of the seeds",
    [2, 1],
    [
      [0, 0],
      [1, 0],
    ],
    2,
  ],
])("%s", (_title, sizes, seeds, expected) => {
  const rows = coveringRows(sizes, seeds);
  expect([rows.length, rows.slice(0, seeds.length)]).toEqual([expected, seeds]);
  expect(coveringRows(sizes, seeds)).toEqual(rows);
});

test("every dialect has its name, and may be given as options as well, on top of plain", () => {
  for (const name of Object.keys({ ...dialects, ...publishedDialects })) {
    const dialect = resolveDialect(name);
    expect([resolveDialect(dialect), resolveDialect(JSON.parse(JSON.stringify(dialect)))]).toEqual([dialect, dialect]);
  }
  const put = resolveDialect({ updateMethod: "PUT", listShape: undefined });
  expect(put).toEqual({ ...dialects["plain"], updateMethod: "PUT" });
});

test("an unknown dialect is refused with the known names", async () => {
  await expect(startSimulator({ dialect: "klingon" })).rejects.toThrow(/plain, terse, mix-1 to mix-\d+/);
});

test.each<[unknown, string]>([
  [{ updatMethod: "PUT" }, '"updatMethod" is no option. Known: listShape, listForm, paged, paging'],
  [{ toString: "PUT" }, '"toString" is no option'],
  [{ updateMethod: "DELETE" }, 'updateMethod must be PATCH | PUT | POST, got "DELETE"'],
  [{ uniqueNames: "true" }, 'uniqueNames must be false | true, got "true"'],
  [{ rateLimitStatus: "429" }, 'rateLimitStatus must be 429 | 503, got "429"'],
  [{ paging: "none" }, 'paging must be cursor | link | numbered | repeating | next-cursor, got "none"'],
  [{ pageSize: 0 }, "pageSize must be 2, or another whole number of at least 1, got 0"],
  [{ injectedEnv: { A: 1 } }, "or another object of strings, got"],
  [{ descriptorPath: "v1" }, 'descriptorPath must be / | /v1 | /api, or another path that begins with "/", got "v1"'],
  [["plain"], "it must be an object"],
  [null, "it must be an object"],
])("as options %j are refused", (value, reason) => {
  expect(() => parseDialect(value)).toThrow(reason);
});

test.each([
  { paging: "repeating" },
  { pageSize: 50 },
  { injectedEnv: { REGION: "eu" } },
  { descriptorPath: "/about" },
] as const)("%j is allowed, though the covering dialects do not use it", (given) => {
  expect(resolveDialect(given)).toMatchObject(given);
});

test.each<[Partial<Dialect>, number[], string[], string?]>([
  [{}, [200, 404, 200, 400], []],
  [{ descriptorPath: "/v1" }, [404, 200, 200, 400], []],
  [{ descriptor: "absent" }, [404, 404, 200, 400], []],
  [{ ...client, descriptor: "absent" }, [404, 404, 200, 400], []],
  [{ descriptor: "lying" }, [200, 404, 200, 400], ["update", "status"], "PUT"],
  [{ updateMethod: "PUT", descriptor: "lying" }, [200, 404, 200, 400], ["update", "status"], "PATCH"],
  [{ ...client, descriptor: "lying" }, [200, 404, 200, 400], ["update", "status"], "PUT"],
])(
  "the descriptor in %j is where it says, and names what it says: %j",
  async (dialect, statuses, more, method = "") => {
    const { call } = await start({ dialect });
    const lines = ["GET /", "GET /v1", "GET /health", "GET /health?x=1"];
    const replies = await Promise.all(lines.map((line) => call(line)));
    expect(replies.map(({ status }) => status)).toEqual(statuses);
    const { body } = replies.find(({ body: { version } }) => version) ?? {};
    if (!body) return;
    const names = [
      "list",
      "get",
      "create",
      "terminate",
      "stop",
      "restart",
      ...(more.length > 0 ? [] : ["scale"]),
      "redeploy",
    ];
    expect(Object.keys(body.endpoints.clusters).sort()).toEqual([...names, ...more].sort());
    expect(Object.keys(body)).toEqual(["name", "version", "documentation", "endpoints"]);
    expect(body.endpoints.clusters.update).toBe(method ? `${method} /v1/clusters/:id` : undefined);
    if (method) expect((await call(`${method} /v1/clusters/x`, {})).status).toBe(405);
  },
);

test("the status word may be running before the replicas are healthy, or from the creation on", async () => {
  for (const [runningWhen, ms] of [
    ["placed", 1000],
    ["always", 0],
  ] as const) {
    const { call, clock, simulator } = await start({ dialect: { runningWhen } });
    const { id, status } = (await call("POST /v1/clusters", web)).body;
    clock.advance(ms);
    expect([status, simulator.cluster(id)?.status]).toEqual(["provisioning", "running"]);
    expect(simulator.cluster(id)?.replicaStates.at(-1)?.healthy).toBe(false);
  }
});

test.each([true, false])("a replica may say healthy only if its cluster has a health check (%p)", async (healthy) => {
  const { call, simulator } = await start({ dialect: { ...client, uncheckedHealth: "false" } });
  const { id } = simulator.addCluster({ name: "web", gpuType: "h100", extras: { healthCheckEnabled: healthy } });
  const { status, replicas } = (await call(`GET /v1/clusters/${id}`)).body.data;
  expect([status, replicas[0].status, replicas[0].healthy]).toEqual(["running", "running", healthy]);
});

test("the documented dialect has bare lists, unique names and the published GPU types", async () => {
  const { call } = await start({ dialect: "documented" });
  await call("POST /v1/clusters", web);
  expect((await call("GET /v1/clusters")).body).toMatchObject([{ name: "web", gpu_type: "h100" }]);
  expect((await call("GET /v1/gpus")).body[0]).toMatchObject({ type: "rtx-4090", price_per_hour: 0.49 });
  expect((await call("POST /v1/clusters", web)).body.error).toMatchObject({ code: "name_taken", status: 409 });
});
