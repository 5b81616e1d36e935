import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "../install/run";
import { Tarball } from "../install/tarball";
import { Registry } from "../release/registry";
import { canaryKey, type Fixture, living, openEndpoint, openFixture } from "./harness";

const templates = resolve(__dirname, "../../templates");

/** The templates, with a registry of npm on this machine that has the package of this tree. */
export class Templates {
  readonly #folder = mkdtempSync(join(tmpdir(), "gpucluster-templates-"));
  readonly #registry = new Registry(join(this.#folder, "registry"));
  readonly #tarball = new Tarball();
  /** The settings that npm reads, also where the engine runs it. */
  readonly #npm = {
    NPM_CONFIG_USERCONFIG: join(this.#folder, "registry/.npmrc"),
    NPM_CONFIG_CACHE: join(this.#folder, "cache"),
  };

  async start(): Promise<this> {
    await this.#registry.start();
    await this.#registry.publish(await this.#tarball.path());
    return this;
  }

  /**
   * Makes a project of a template as a user does, and runs the commands that the template itself tells. The key is set
   * afterwards: what follows `-c` is stored in plain text, which only the question avoids.
   * @param addPackage Stands for `pulumi package add`, which needs the language host of a downloaded CLI.
   */
  async open(name: string, addPackage: (fixture: Fixture) => void = refused): Promise<Project> {
    const endpoint = await openEndpoint();
    const fixture = await openFixture("", { endpoint: endpoint.url });
    const { workspace, simulator } = fixture;
    const project = join(workspace.folder, name);
    Object.assign(workspace.env, this.#npm, { PULUMI_HOME: mkdtempSync(join(this.#folder, "home-")) });
    delete workspace.env["PULUMI_STACK"];
    delete workspace.env["GPUCLUSTER_BASE_URL"];
    delete workspace.env["GPUCLUSTER_API_KEY"];
    const answers = [`gpucluster:baseUrl=${simulator.url}`, "gpucluster:resume=a-salt-of-tests"];
    const config = answers.flatMap((answer) => ["--config", answer]);
    await workspace.succeed("new", join(templates, name), "--yes", "--dir", project, ...config);
    const opened = new Project(fixture, project);
    await opened.pulumi("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
    for (const [command, ...args] of commandsOf(name)) {
      if (command === "npm") await run(["env", ...settingsOf(this.#npm), "npm", ...args], project);
      else if (args[0] === "package") addPackage(fixture);
      else await opened.pulumi(...args, ...(args[0] === "up" ? ["--yes"] : []));
    }
    return opened;
  }

  remove(): void {
    this.#registry.stop();
    this.#tarball.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A project that a template has made, after its last command. */
class Project {
  constructor(
    private readonly fixture: Fixture,
    private readonly folder: string,
  ) {}

  /** Runs a command that has to succeed. */
  pulumi(...args: string[]): Promise<string> {
    return this.fixture.workspace.succeed(...args, "--cwd", this.folder);
  }

  /** Expects the healthy cluster of the template, and no plain key; then destroys it. */
  async expectLife(): Promise<void> {
    const { simulator } = this.fixture;
    const [web, ...others] = living(simulator);
    expect(others).toEqual([]);
    // The 12 digits of a name that `gpucluster:resume` has made.
    expect(web).toMatchObject({ name: expect.stringMatching(/^web-[0-9a-f]{12}$/), status: "running" });
    const outputs = JSON.parse(await this.pulumi("stack", "output", "--json"));
    expect(outputs).toEqual({ endpoint: web?.endpoint, hourlyCost: 2.99 });
    const stored = readFileSync(join(this.folder, "Pulumi.dev.yaml"), "utf8");
    expect(stored + (await this.pulumi("stack", "export"))).not.toContain(canaryKey);
    await this.pulumi("preview", "--expect-no-changes");
    await this.pulumi("destroy", "--yes");
    expect(living(simulator)).toEqual([]);
  }
}

function refused(): never {
  throw new Error("This template adds no package.");
}

/** What the template tells to run next, as words. */
function commandsOf(name: string): string[][] {
  const text = readFileSync(join(templates, name, "Pulumi.yaml"), "utf8");
  const [, lines = ""] = /^ {2}quickstart: \|\n((?: {4}.*\n)+)/m.exec(text) ?? [];
  return lines
    .trim()
    .split("\n")
    .map((line) => line.trim().split(" "));
}

function settingsOf(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
