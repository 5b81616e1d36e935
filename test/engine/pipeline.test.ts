import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import type { Simulator } from "../../simulator";
import { manifest, repository } from "../support/repository";
import { canaryKey, closeFixtures, idsOf, living, openFixture, until } from "./harness";
import { cliRoot, type Run, type Running, startProcess, type Workspace } from "./workspace";

const example = join(repository, "examples/pipeline");
/** The key of the environment `preview`: of the same organization as that of `production`. */
const readKey = "canary-read-7b20e5d1";
const secretToken = "canary-token-51c0";
/** With several lines, as in keys and certificates, and with a carriage return that ends none. */
const secretModel = "canary-model-1\ncanary-model-2\n\ncanary-\rcanary-model-3";

const jobs: Running[] = [];
let simulator: Simulator;
let workspace: Workspace;

beforeAll(async () => {
  // New replicas never become ready by themselves, so that every job here can be cancelled in time.
  const options = { provisioningMs: 600_000, apiKeys: { [canaryKey]: "org_test", [readKey]: "org_test" } };
  ({ simulator, workspace } = await openFixture("", options, "gpucluster-pipeline"));
  Object.assign(workspace.env, { PULUMI_STACKS: "test", PLAN_COMMIT: "head1" });
  rmSync(join(workspace.folder, "index.js"));
  cpSync(example, workspace.folder, { recursive: true, filter: isSource });
  linkCommand(workspace.folder);
  await workspace.succeed("config", "set", "--secret", "hfToken", secretToken);
});

afterAll(async () => {
  for (const job of jobs) job.signal("SIGTERM");
  await Promise.all(jobs.map(({ ended }) => ended));
  await closeFixtures();
});

describe("the pipeline, in the order in which a team uses it", () => {
  it("previews a pull request with new clusters: the creations and their cost", async () => {
    const { code, output } = await run("preview.sh");
    expect(output).toBe(`## Preview of \`test\`

| cluster | | an hour, before | after |
|---|---|--:|--:|
| \`chat\` | created | 0.00 | 5.98 |
| \`embeddings\` | created | 0.00 | 0.44 |
| **all** | | **0.00** | **6.42** |
`);
    expect(code).toBe(0);
    expect(readFileSync(join(workspace.folder, "step-summary.md"), "utf8")).toBe(output);
    expect(simulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(readFileSync(plan(), "utf8")).not.toContain("canary");
  });

  it("keeps the clusters of a merge whose job is cancelled as by a runner: SIGINT to the first process", async () => {
    const job = start("up.sh");
    await until("both clusters are waited for", () => living(simulator).length === 2 && isWatching());
    const sentAt = Date.now();
    job.signal("SIGINT");
    const { code, output } = await job.ended;
    // After this time a runner sends SIGTERM, and kills all processes 2.5 s later.
    expect(Date.now() - sentAt).toBeLessThan(7500);
    expect(output).toMatch(/was created, but is not ready: interrupted/);
    expect(code).not.toBe(0);
    expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
  });

  it("continues with the same clusters in a run by hand: a new preview, and its plan", async () => {
    comeUp();
    const preview = await run("preview.sh");
    expect(preview.output).toContain("| **all** | | **6.42** | **6.42** |");
    const { code, output } = await run("up.sh");
    expect(output).toMatch(/Resources:[\s\S]*Duration:/);
    expect(code).toBe(0);
    expect(simulator.clusters()).toHaveLength(2);
  });

  it("previews a pull request that scales: the cost before and after, and warnings", async () => {
    edit("replicas: 2", "replicas: 4");
    simulator.setGpuType("h100", { stock: 3 });
    const { code, output } = await run("preview.sh");
    expect(output).toBe(`## Preview of \`test\`

| cluster | | an hour, before | after |
|---|---|--:|--:|
| \`chat\` | changed, replicas \`2\` → \`4\` | 5.98 | 11.96 |
| \`embeddings\` | unchanged | 0.44 | 0.44 |
| **all** | | **6.42** | **12.40** |

### Warnings

- \`chat\`: not enough GPUs: 2 x h100 needed, 1 available
`);
    expect(code).toBe(0);
  });

  it("refuses the plan for a program that is not the reviewed one, and prints no value of it", async () => {
    const fitting = '"ggml-org/gpt-oss-20b-GGUF"';
    edit(fitting, JSON.stringify(secretModel));
    const { code, output } = await run("up.sh");
    expect(output).toContain("violates plan: properties changed: env (values are left out here)\n");
    expect(output).toMatch(/Resources:[\s\S]*Duration:/);
    expect(code).not.toBe(0);
    expect(replicasOf("h100")).toBe(2);
    edit(JSON.stringify(secretModel), fitting);
  });

  it("refuses the plan of another commit, and does nothing", async () => {
    const { code, output } = await start("up.sh", { PLAN_COMMIT: "head2" }).ended;
    expect(output).toBe("out/plan.json was made for commit head1, and not for head2. Run the workflow by hand.\n");
    expect(code).toBe(1);
  });

  it("keeps the partial state of a cancelled scaling if the whole group receives SIGTERM", async () => {
    simulator.setGpuType("h100", { stock: 256 });
    const job = start("up.sh");
    await until("the replicas are waited for", () => replicasOf("h100") === 4 && isWatching());
    process.kill(-job.pid, "SIGTERM");
    const { code, output } = await job.ended;
    expect(output).toMatch(/Resources:[\s\S]*Duration:/);
    expect(code).not.toBe(0);
    expect(idsOf(workspace.storedClusters())).toEqual(idsOf(living(simulator)));
    comeUp();
    const next = await run("preview.sh");
    expect(next.output).toContain("| `chat` | changed, not ready | 11.96 | 11.96 |");
    expect(await run("up.sh")).toMatchObject({ code: 0 });
    expect(replicasOf("h100")).toBe(4);
    expect(simulator.clusters()).toHaveLength(2);
  });

  it("finds no drift if there is none, and ends with 7 if there is some", async () => {
    const before = await run("drift.sh");
    expect(before).toEqual({ code: 0, output: expect.stringContaining("`chat` | unchanged | 11.96 | 11.96 |") });
    const chat = living(simulator).find(({ gpuType }) => gpuType === "h100");
    simulator.change(chat?.id ?? "", { replicas: 1 });
    const after = await run("drift.sh");
    expect(after.output).toContain("| `chat` | changed, replicas `4` → `1` | 11.96 | 2.99 |");
    expect(after.code).toBe(7);
  });
});

test("the hourly job stops a cluster past its end that runs, and changes no other", async () => {
  edit("replicas: 4,", 'replicas: 4,\n  runUntil: "2020-01-01T00:00Z",');
  expect(await run("preview.sh")).toMatchObject({ code: 0 });
  expect(await run("up.sh")).toMatchObject({ code: 0 });
  const chat = () => living(simulator).find(({ gpuType }) => gpuType === "h100");
  expect(chat()).toMatchObject({ status: "stopped" });
  expect(await run("ends.sh")).toMatchObject({ code: 0 });
  // Another user starts it again, and a change of another cluster waits for its approval.
  simulator.change(chat()?.id ?? "", { status: "running" });
  edit('LLAMA_ARG_EMBEDDINGS: "true"', 'LLAMA_ARG_EMBEDDINGS: "false"');
  simulator.requests.length = 0;
  expect(await run("ends.sh")).toMatchObject({ code: 0 });
  const sent = simulator.requests.filter(({ method }) => method !== "GET").map(({ path }) => path);
  expect(sent).toEqual([`/v1/clusters/${chat()?.id}/stop`]);
  expect(chat()).toMatchObject({ status: "stopped" });
});

test("the daily report ends with 3 if an unmanaged cluster is older than a day, and lists it", async () => {
  const dayMs = 86_400_000;
  const add = (name: string, days: number) =>
    simulator.addCluster({ name, gpuType: "l4", replicas: 2, createdAt: Date.now() - days * dayMs }).id;
  add("young", 0.5);
  const before = await run("report.sh");
  const none = expect.stringContaining("Unmanaged, older than 24h: 0, 0.00 per hour.");
  expect(before).toEqual({ code: 0, output: none });
  const id = add("forgotten", 2);
  const after = await run("report.sh");
  expect(after.output).toContain(`| \`forgotten\` | \`${id}\` | **nobody** | \`running\` | 0.88 USD | 2d |`);
  expect(after.code).toBe(3);
  expect(readFileSync(join(workspace.folder, "step-summary.md"), "utf8")).toContain("forgotten");
});

/** The command of the package, as npm installs it. */
function linkCommand(folder: string): void {
  const bin = join(folder, "node_modules/.bin");
  mkdirSync(bin);
  const main = join(repository, "dist/sdk/command.js");
  writeFileSync(join(bin, "pulumi-gpucluster"), `#!/bin/sh\nexec node "${main}" "$@"\n`, { mode: 0o755 });
}

/** Whether a checkout contains this path. */
function isSource(path: string): boolean {
  return !["node_modules", "out"].includes(basename(path));
}

function plan(): string {
  return join(workspace.folder, "out/plan.json");
}

/** Whether the last answered request is a poll. */
function isWatching(): boolean {
  return simulator.requests.at(-1)?.method === "GET";
}

function replicasOf(type: string): number | undefined {
  return living(simulator).find(({ gpuType }) => gpuType === type)?.replicas;
}

/** Makes all clusters healthy. */
function comeUp(): void {
  for (const { id } of living(simulator)) simulator.change(id, { status: "running" });
}

describe("the summary", () => {
  const urn = (name: string, type = "pulumi-nodejs:dynamic/gpucluster:Cluster") =>
    `urn:pulumi:test::p::${type}::${name}`;
  const cluster = (op: string, name: string, before?: object, after?: object) => ({
    op,
    urn: urn(name),
    oldState: before && { inputs: before, retainOnDelete: name === "kept" },
    newState: after && { inputs: after },
    detailedDiff: op === "replace" ? { gpuType: { kind: "update" }, "env.TOKEN": { kind: "update" } } : {},
  });

  it("names replaced, deleted and retained clusters and every unknown cost, and shows no value of env", async () => {
    const env = { TOKEN: "canary-1" };
    const steps = [
      { op: "same", urn: urn("p-test", "pulumi:pulumi:Stack") },
      cluster("refresh", "a", { env }, { env, replicas: 9 }),
      cluster("replace", "a", { gpuType: "l4", hourlyCost: 0.44, env }, { gpuType: "h100", env: {} }),
      cluster("delete", "b", { hourlyCost: 1 }),
      cluster("delete", "kept", { hourlyCost: 2 }),
      cluster("create", "made", undefined, { hourlyCost: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }),
      { op: "create", urn: urn("e", "random:index/randomId:RandomId") },
    ];
    expect(await summaryOf({ steps })).toBe(`## Preview of \`test\`

| cluster | | an hour, before | after |
|---|---|--:|--:|
| \`a\` | **replaced**, gpuType \`l4\` → \`h100\`, \`env.TOKEN\` | 0.44 | not known |
| \`b\` | **deleted** | 1.00 | 0.00 |
| \`kept\` | **leaves the stack** | 2.00 | not known |
| \`made\` | created | 0.00 | not known |
| **all** | | **3.44** | **at least 0.00** |

### Other resources

- created: \`e\` (random:index/randomId:RandomId)
`);
  });

  it("says why a preview failed, and shows no incomplete table", async () => {
    const diagnostics = [
      { urn: urn("a"), severity: "error", message: "error: type resource 'a' has a problem: it is\n  <wrong>\n" },
    ];
    const steps = [cluster("refresh", "a", { hourlyCost: 1 }, { hourlyCost: 1 })];
    expect(await summaryOf({ steps, diagnostics })).toBe(
      "## Preview of `test`\n\n### Errors\n\n- `a`: it is \\<wrong>\n",
    );
    expect(await summaryOf(undefined)).toContain("the log of the job says why");
  });

  it("shows a message as it is written, and its code as code", async () => {
    const message = "warning: *a* _b_ ~c~ <d> &lt; $e$ `a_b` \\\nsecond";
    const text = await summaryOf({ diagnostics: [{ severity: "warning", message }] });
    expect(text).toContain("### Warnings\n\n- \\*a\\* \\_b\\_ \\~c\\~ \\<d> \\&lt; \\$e\\$ `a_b` \\\\ second\n");
  });

  async function summaryOf(preview: object | undefined): Promise<string> {
    const file = join(workspace.folder, "out/fake.json");
    writeFileSync(file, preview ? JSON.stringify(preview) : "");
    return (await startCommand(process.execPath, ["scripts/summary.mjs", "Preview", file]).ended).output;
  }
});

describe("the workflow", () => {
  const text = readFileSync(join(example, "workflow.yml"), "utf8");

  it("names every action of GitHub by the commit of a release", () => {
    expect(text.match(/uses: (?!actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$).*/gm)).toBeNull();
  });

  it("gives secrets to the steps that need them only", () => {
    const steps = text.split(/^ {6}- /m).filter((step) => step.includes("secrets."));
    expect(steps.map((step) => step.split("\n")[0])).toEqual(
      ["preview", "up", "drift", "report", "ends"].map((name) => `run: exec sh scripts/${name}.sh`),
    );
  });

  it("gives the key that changes clusters to the jobs of a merge and of ends, and one that reads to every other job with a key", () => {
    const jobs = text.split(/^ {2}(?=\w+:\n {4})/m).filter((job) => job.includes("GPUCLUSTER_API_KEY:"));
    const environments = jobs.map((job) => [job.split(":")[0], /^ {4}environment: (.*)$/m.exec(job)?.[1]]);
    expect(Object.fromEntries(environments)).toEqual({
      preview: "preview",
      up: "production",
      drift: "preview",
      report: "preview",
      ends: "ends",
    });
  });

  it("installs the version of the CLI that all this is tested with", () => {
    const { config } = manifest;
    expect(readFileSync(join(example, "scripts/setup.sh"), "utf8")).toContain(`--version ${config.pulumi}\n`);
  });

  it.each([
    ["the preview of the merged pull request", { GITHUB_EVENT_NAME: "push", ANSWERS: "head1 77" }, "head1", "77"],
    ["the preview of the same run", { GITHUB_EVENT_NAME: "workflow_dispatch", ANSWERS: "" }, "merge1", "5"],
  ])("takes the reviewed plan: %s", async (_, env, commit, runId) => {
    const { code, found } = await reviewed(env);
    expect([code, found]).toEqual([0, `commit=${commit}\nrun=${runId}\n`]);
  });

  it.each([["head1"], [""]])("stops if no plan was reviewed: answers %j", async (ANSWERS) => {
    const { code, output, found } = await reviewed({ GITHUB_EVENT_NAME: "push", ANSWERS });
    expect([code, found]).toEqual([1, ""]);
    expect(output).toContain("Run this workflow by hand");
  });

  it("repeats the job of the same commit whose output says that no GPUs were free, and no other", async () => {
    const awaiting = join(workspace.folder, "out/awaiting");
    const masked = (line: string) =>
      startCommand("sh", ["-c", 'rm -f out/awaiting; printf "%s\\n" "$LINE" | node scripts/mask.mjs'], { LINE: line })
        .ended;
    await masked("    error: update failed");
    expect(existsSync(awaiting)).toBe(false);
    await masked("    warning: update has awaiting resources");
    expect(existsSync(awaiting)).toBe(true);

    writeFileSync(join(workspace.folder, "gh"), listingGh, { mode: 0o755 });
    const env = { GITHUB_REPOSITORY: "o/r", GITHUB_SHA: "merge1" };
    const path = [workspace.folder, process.env["PATH"]].join(delimiter);
    const { code, output } = await startCommand("sh", ["scripts/again.sh"], { ...env, PATH: path }).ended;
    expect([code, output]).toEqual([
      0,
      "DELETE repos/o/r/actions/artifacts/1\nPOST repos/o/r/actions/runs/10/rerun-failed-jobs\n",
    ]);
  });

  /** A `gh` that knows one artifact, 1 of run 10, and prints each write. */
  const listingGh = `#!/bin/sh
case "$2 $4" in
  --method*) echo "$3 $4" ;;
  "repos/o/r/actions/artifacts?per_page=100 "*'startswith("awaiting-")'*'.expired | not'*'.head_sha == env.GITHUB_SHA'*) echo "1 10" ;;
esac
`;

  const fakeGh = `#!/bin/sh
query="$2 $4"
set -- $ANSWERS
case $query in
  repos/o/r/commits/merge1/pulls*merge_commit_sha*) echo "$1" ;;
  "repos/o/r/actions/artifacts?name=plan-test-head1 "*'.head_sha == "head1"'*) echo "$2" ;;
esac
`;

  /** Runs the script with a `gh` that returns one word of ANSWERS for commits, and the next for artifacts of a run of that commit. */
  async function reviewed(env: Record<string, string>): Promise<Run & { found: string }> {
    const file = join(workspace.folder, "out/found");
    writeFileSync(file, "");
    writeFileSync(join(workspace.folder, "gh"), fakeGh, { mode: 0o755 });
    const known = {
      PULUMI_STACK: "test",
      GITHUB_REPOSITORY: "o/r",
      GITHUB_SHA: "merge1",
      GITHUB_RUN_ID: "5",
      GITHUB_OUTPUT: file,
    };
    const path = [workspace.folder, process.env["PATH"]].join(delimiter);
    const run = await startCommand("sh", ["scripts/reviewed.sh"], { ...known, ...env, PATH: path }).ended;
    return { ...run, found: readFileSync(file, "utf8") };
  }
});

/** Replaces text of the program, as a commit would. */
function edit(before: string, after: string): void {
  const file = join(workspace.folder, "index.ts");
  const text = readFileSync(file, "utf8");
  expect(text).toContain(before);
  writeFileSync(file, text.replace(before, after));
}

/** Runs a script to its end. */
async function run(script: string): Promise<Run> {
  return start(script).ended;
}

/** Starts a script as a runner does: the line of the workflow in a file, run by bash in a separate process group. */
function start(script: string, env: Record<string, string> = {}): Running {
  const step = join(workspace.folder, "step.sh");
  writeFileSync(step, `exec sh scripts/${script}\n`);
  const key = ["up.sh", "ends.sh"].includes(script) ? canaryKey : readKey;
  return startCommand("bash", ["-e", step], { GPUCLUSTER_API_KEY: key, ...env });
}

/** Starts a command, and checks that its output contains no secret. */
function startCommand(command: string, args: readonly string[], env: Record<string, string> = {}): Running {
  const running = startProcess(command, args, {
    cwd: workspace.folder,
    detached: true,
    env: { ...jobEnv(), ...env },
  });
  const ended = running.ended.then((result) => {
    expect(result.output).not.toContain("canary");
    return result;
  });
  const job = { ...running, ended };
  jobs.push(job);
  return job;
}

function jobEnv(): NodeJS.ProcessEnv {
  const path = [join(cliRoot, "bin"), process.env["PATH"]].join(delimiter);
  // `npm run check` checks the types.
  const speed = { PULUMI_NODEJS_TRANSPILE_ONLY: "true", PULUMI_SKIP_UPDATE_CHECK: "true" };
  const summary = { GITHUB_STEP_SUMMARY: join(workspace.folder, "step-summary.md") };
  const { HOME, TMPDIR, PULUMI_HOME } = process.env;
  return { HOME, TMPDIR, PULUMI_HOME, PATH: path, ...speed, ...summary, ...workspace.env };
}
