import { rmSync } from "node:fs";
import { join } from "node:path";
import { vocabularies } from "../../../provider/api/requests";
import { inputFlags, inputNames } from "../../../provider/cluster/model/fields";
import { type Properties, UNKNOWN } from "../../../provider/contract";
import { type Edits, emit, errorsOf, programOf } from "../../support/editedSources";
import { least } from "./inputs";

/** What a new field takes: an input `region`, which replaces the cluster, and which the service chooses if it is left out. */

/** Adds a line before or after the only place of a text. */
const adds = (line: string, { before = "", after = "" }) => {
  return (text: string) => {
    expect(text.split(before || after)).toHaveLength(2);
    return text.replace(before || after, before ? `${line}\n${before}` : `${after}\n${line}`);
  };
};
const both = (one: (text: string) => string, other: (text: string) => string) => (text: string) => other(one(text));

const edits: Edits = {
  "provider/cluster/model/fields.ts": both(
    adds("  region?: string;", { after: "export interface ClusterInputs {" }),
    adds('  region: { effect: "replace", wire: "create" },', { before: "  replicas: { effect:" }),
  ),
  "provider/cluster/model/validate.ts": adds(
    '  region: z.string(rule("must be a region")).regex(/^[a-z-]+$/, rule("must be a region")).optional(),',
    { after: "const inputRules = {" },
  ),
  "provider/api/requests.ts": both(
    adds("  readonly region?: string;", { after: "export interface CreateBody {" }),
    (text) => text.replaceAll(/^ {2}(specification|client): \{ name:/gm, '  $1: { region: "region", name:'),
  ),
  "provider/api/records.ts": adds('  region: [text, "region", "location"],', {
    after: "export const clusterTable = {",
  }),
  "simulator/extraFields.ts": (text) =>
    text.replace(/(const ownFields: .* = \{)\}/, '$1 region: { schema: text, isFixed: true, chosen: "eu-west" } }'),
};
const harnessFile = "test/unit/cluster/harness.ts";
const files = ["provider/cluster/resource.ts", "simulator/index.ts", harnessFile];

test("a new field takes five files", () => {
  expect(Object.keys(edits)).toHaveLength(5);
});

/** The files in which the compiler asks for the field, if only these files are edited. */
function asking(edited: readonly string[]): string[] {
  const program = programOf(files, Object.fromEntries(edited.map((file) => [file, edits[file] ?? String])));
  const checked = [...Object.keys(edits), "provider/cluster/compare/drift.ts", "provider/cluster/operations/create.ts"];
  return [...new Set(errorsOf(program, checked).map((error) => error.split(":")[0] ?? ""))].sort();
}

test("the compiler asks for everything that a declared field lacks", () => {
  expect(asking(["provider/cluster/model/fields.ts"])).toEqual([
    "provider/cluster/compare/drift.ts",
    "provider/cluster/model/validate.ts",
    "provider/cluster/operations/create.ts",
    "simulator/extraFields.ts",
  ]);
});

test.each([
  ["provider/cluster/model/validate.ts", "provider/cluster/model/validate.ts"],
  ["provider/api/requests.ts", "provider/cluster/operations/create.ts"],
  ["provider/api/records.ts", "provider/cluster/compare/drift.ts"],
  ["simulator/extraFields.ts", "simulator/extraFields.ts"],
])("without its line in %s, it does not compile", (file, place) => {
  expect(asking(Object.keys(edits).filter((name) => name !== file))).toEqual([place]);
});

test("every input that is sent, and no other, has a name in requests", () => {
  const names = inputNames.filter((name) => inputFlags[name].wire !== undefined && name !== "extraFields");
  for (const vocabulary of Object.values(vocabularies))
    expect(Object.keys(vocabulary).sort()).toEqual([...names].sort());
});

describe("a package with the field", () => {
  const program = programOf(files, edits);
  const folder = emit(program);
  // Loaded here, because it has hooks of its own.
  const harness: typeof import("./harness") = require(join(folder, harnessFile.replace(".ts", ".js")));

  afterAll(() => rmSync(folder, { recursive: true }));

  test("compiles", () => {
    expect(errorsOf(program)).toEqual([]);
  });

  /** A new cluster, from the program's inputs, and the creations and updates that were sent for it. */
  async function create(program: Properties, options: Parameters<typeof harness.openBench>[0] = {}) {
    const bench = await harness.openBench(options);
    const { cluster, simulator } = bench;
    const check = async (news: Properties, olds?: Properties) => {
      const { inputs, failures } = await bench.run(cluster.check(bench.ctx(), news, olds));
      expect(failures).toEqual([]);
      return inputs;
    };
    const inputs = await check(program);
    const { id, state } = await bench.run(cluster.create(bench.ctx(), inputs));
    const bodies = () => simulator.requests.filter(({ method }) => method !== "GET").map(({ body }) => body);
    const refresh = async (of: Properties) => (await bench.run(cluster.read(bench.ctx(), id, of)))?.state ?? {};
    return { ...bench, id, inputs, state, check, bodies, refresh, held: () => simulator.cluster(id)?.extras };
  }

  const named = { ...least, region: "us-east" };

  test.each(["plain", "terse", "documented", "client"])("sends, shows and keeps a value (%s)", async (dialect) => {
    const { cluster, state, inputs, bodies, refresh, held, said } = await create(named, { dialect });
    expect(bodies()).toEqual([expect.objectContaining({ region: "us-east" })]);
    expect(held()).toMatchObject({ region: "us-east" });
    expect(state).toMatchObject({ region: "us-east", settled: true });
    expect(state["unverifiedInputs"]).not.toContain("region");
    expect(said.filter((text) => text.startsWith("warning"))).toEqual([]);
    expect(cluster.diff(state, inputs).changes).toEqual({});
    expect(await refresh(state)).toEqual(state);
  });

  test.each(["plain", "client"])("leaves the value to the service (%s)", async (dialect) => {
    const { cluster, state, inputs, bodies, refresh, held, said } = await create(least, { dialect });
    expect(bodies()).toEqual([expect.not.objectContaining({ region: expect.anything() })]);
    expect(held()).toMatchObject({ region: "eu-west" });
    expect(state).toMatchObject({ region: "eu-west", settled: true });
    expect(said.filter((text) => text.startsWith("warning"))).toEqual([]);
    expect(cluster.diff(state, inputs).changes).toEqual({});
    const again = await refresh(state);
    expect(again).toEqual(state);
    expect(cluster.diff(again, inputs).changes).toEqual({});
  });

  test.each([{ dialect: "plain" }, { dialect: { updateSemantics: "replace", updateMethod: "PUT" } }] as const)(
    "an update neither sends nor loses the value (%j)",
    async (options) => {
      const { cluster, ctx, run, id, state, check, bodies, refresh, held } = await create(least, options);
      const news = await check({ ...least, replicas: 2, env: { MODE: "fast" } }, state);
      const next = await run(cluster.update(ctx(), id, state, news));
      expect(bodies().length).toBeGreaterThan(1);
      for (const body of bodies()) expect(body ?? {}).not.toHaveProperty("region");
      expect(held()).toMatchObject({ region: "eu-west" });
      expect(next).toMatchObject({ replicas: 2, region: "eu-west", settled: true });
      expect(cluster.diff(next, news).changes).toEqual({});
      expect(await refresh(next)).toEqual(next);
    },
  );

  test("a change replaces the cluster, and a removed line does not", async () => {
    const { cluster, state, check } = await create(named);
    const changed = await check({ ...named, region: "eu-north" }, state);
    expect(cluster.diff(state, changed).changes).toEqual({ region: { kind: "update", replace: true } });
    expect(cluster.diff(state, await check(least, state)).changes).toEqual({});
  });

  test("a change by others is drift if the program names the value", async () => {
    let region = "us-east";
    const { cluster, state, inputs, check, refresh } = await create(named, {
      wire: (real) => async (request) => {
        const answer = await real(request);
        return { ...answer, body: answer.body.replace('"us-east"', JSON.stringify(region)) };
      },
    });
    region = "ap-south";
    const drifted = await refresh(state);
    expect(drifted).toEqual({ ...state, region });
    expect(cluster.diff(drifted, inputs).changes).toEqual({ region: { kind: "update", replace: true } });
    expect(cluster.diff(drifted, await check(least, state)).changes).toEqual({});
  });

  test("a preview shows the value as far as it is known, and refuses a wrong one", async () => {
    const { cluster, run, ctx, state, inputs } = await create(least);
    expect(cluster.preview(inputs)).toMatchObject({ region: UNKNOWN });
    expect(cluster.preview(inputs, state)).toMatchObject({ region: "eu-west" });
    const { failures } = await run(cluster.check(ctx(), { ...least, region: "EU 1" }));
    expect(failures).toEqual([{ property: "region", reason: "must be a region" }]);
  });

  test("only a cluster of that region is adopted", async () => {
    const { cluster, run, ctx, id, check } = await create(named);
    const adopting = { ...least, adopt: id };
    const elsewhere = { ...adopting, region: "eu-north" };
    const { failures } = await run(cluster.check(ctx(), elsewhere));
    const reason = `is "eu-north", but ${id} has "us-east"; set \`region\` to that`;
    expect(failures).toEqual([{ property: "region", reason }]);
    const { state } = await run(cluster.create(ctx(), await check(adopting)));
    expect(state).toMatchObject({ region: "us-east", settled: true });
  });
});
