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
    const project = await this.#begin(name);
    // npm would take a folder above that has packages.
    const folder = mkdtempSync(join(this.#folder, "plugin-"));
    if (name !== "typescript") await project.run(commandsAfter("## Install the plugin"), { folder });
    await project.create("--config", project.address, "--config", resume);
    await project.pulumi("config", "set", "--secret", "gpucluster:apiKey", canaryKey);
    await project.run(commandsOf(name), { addPackage });
    return project;
  }

  /** Makes a project of the template for TypeScript as long as the package is not published. */
  async openUnpublished(): Promise<Project> {
    const project = await this.#begin("typescript");
    const values: Record<string, string> = {
      "<folder>": join(templates, "typescript"),
      "<file>": await this.#tarball.path(),
      "gpucluster:baseUrl https://api.example.com": project.address.replace("=", " "),
      "gpucluster:apiKey": `gpucluster:apiKey ${canaryKey}`,
    };
    const [create, ...others] = commandsAfter("## Templates").map((words) =>
      Object.entries(values)
        .reduce((line, [from, to]) => line.replace(from, to), words.join(" "))
        .split(" "),
    );
    expect(create).toEqual(["pulumi", "new", values["<folder>"], "--generate-only"]);
    await project.create("--generate-only");
    await project.run([...others, ["pulumi", "config", "set", ...resume.split("=")], ...commandsOf("typescript")]);
    return project;
  }

  async #begin(name: string): Promise<Project> {
    const endpoint = await openEndpoint();
    const fixture = await openFixture("", { endpoint: endpoint.url });
    const { workspace } = fixture;
    Object.assign(workspace.env, this.#npm, { PULUMI_HOME: mkdtempSync(join(this.#folder, "home-")) });
    delete workspace.env["PULUMI_STACK"];
    delete workspace.env["GPUCLUSTER_BASE_URL"];
    delete workspace.env["GPUCLUSTER_API_KEY"];
    return new Project(fixture, name, this.#npm);
  }

  remove(): void {
    this.#registry.stop();
    this.#tarball.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const resume = "gpucluster:resume=a-salt-of-tests";

interface RunOptions {
  /** By default, the project. */
  readonly folder?: string;
  readonly addPackage?: (fixture: Fixture) => void;
}

/** A project that a template makes. */
class Project {
  readonly #folder: string;

  constructor(
    private readonly fixture: Fixture,
    private readonly template: string,
    private readonly npm: Readonly<Record<string, string>>,
  ) {
    this.#folder = join(fixture.workspace.folder, template);
  }

  get address(): string {
    return `gpucluster:baseUrl=${this.fixture.simulator.url}`;
  }

  /** Runs `pulumi new`. */
  async create(...args: string[]): Promise<void> {
    const from = join(templates, this.template);
    await this.fixture.workspace.succeed("new", from, "--yes", "--dir", this.#folder, ...args);
  }

  /** Runs a command that has to succeed. */
  pulumi(...args: string[]): Promise<string> {
    return this.fixture.workspace.succeed(...args, "--cwd", this.#folder);
  }

  /** Runs commands of a document or of the template. */
  async run(commands: readonly string[][], { folder = this.#folder, addPackage = refused }: RunOptions = {}) {
    for (const [command, ...args] of commands) {
      if (command === "npm") await run(["env", ...settingsOf(this.npm), "npm", ...args], folder);
      else if (args[0] === "package") addPackage(this.fixture);
      else await this.fixture.workspace.succeed(...args, "--cwd", folder, ...(args[0] === "up" ? ["--yes"] : []));
    }
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
    const stored = readFileSync(join(this.#folder, "Pulumi.dev.yaml"), "utf8");
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
  return wordsOf(lines);
}

/** The first commands after a heading of docs/guides/languages.md, as words. */
function commandsAfter(heading: string): string[][] {
  const page = readFileSync(join(templates, "../docs/guides/languages.md"), "utf8");
  const [, lines = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(page.slice(page.indexOf(heading))) ?? [];
  return wordsOf(lines);
}

function wordsOf(lines: string): string[][] {
  return lines
    .trim()
    .split("\n")
    .map((line) => line.trim().split(" "));
}

function settingsOf(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}
