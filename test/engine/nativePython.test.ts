import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { run } from "../install/run";
import { read, repository } from "../support/repository";
import { cliVersion, testIn } from "./engines";
import { closeFixtures, type Fixture, living, openFixture } from "./harness";
import { Templates } from "./templates";

const test = testIn("python");

// A fresh machine compiles the generators of SDKs first, and fetches Pulumi's own SDK for Python.
jest.setTimeout(20 * 60_000);

/** The programs of docs/guides/languages.md, word for word as one program, and the lines that they omit. */
const page = read("docs/guides/languages.md");
const guide = [...page.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, code]) => code).join("\n");
const program = `${guide}
choosy = gpucluster.Cluster(
    "choosy",
    gpu_type="h200",
    fallback_gpu_types=["h100"],
    container="acme/model:1",
    desired_status=gpucluster.DesiredStatus.RUNNING,
    restart_triggers={"generation": 1},
)
pulumi.export("type", choosy.gpu_type)
pulumi.export("memory", gpucluster.get_gpu_models_output().apply(lambda answer: sum(gpu.memory_gb for gpu in answer.models)))
`;

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gpucluster-python-"));
  await run([process.execPath, join(repository, "scripts/sdks.mjs"), join(folder, "sdks")], folder);
  await run(["python3", "-m", "venv", "venv"], folder);
  const pip = join(folder, "venv/bin/pip");
  await run([pip, "install", "--quiet", `pulumi<=${cliVersion}`, join(folder, "sdks/python")], folder);
});
afterAll(closeFixtures);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sets the variables of a shell with the activated virtual environment. */
function activate({ workspace }: Fixture): void {
  const path = [join(folder, "venv/bin"), process.env["PATH"]].join(delimiter);
  Object.assign(workspace.env, { PATH: path, VIRTUAL_ENV: join(folder, "venv") });
}

test("the guide's program in Python runs; it can use lists and enumerations, and receives the results of functions", async () => {
  const fixture = await openFixture("");
  const { workspace, simulator, writes } = fixture;
  activate(fixture);
  workspace.python(program);
  simulator.setGpuType("h200", { stock: 0 });
  expect((await workspace.up()).code).toBe(0);
  // Two clusters; the first type of one of them is sold out.
  expect(writes()).toEqual(Array(3).fill("POST /v1/clusters"));
  const outputs = JSON.parse(await workspace.succeed("stack", "output", "--json"));
  expect(outputs).toMatchObject({ type: "h100", endpoint: expect.stringMatching(/^https:/) });
  expect(outputs.memory).toBeGreaterThan(80);
  expect((await workspace.preview("--expect-no-changes")).code).toBe(0);
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
});

test("the template for Python makes a project whose cluster gets healthy", async () => {
  const templates = await new Templates().start();
  // A host of the Go module proxy does not know the project's own virtual environment: that of these tests has the SDK.
  const project = await templates.open("python", activate);
  await project.expectLife();
  templates.remove();
});
