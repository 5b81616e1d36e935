import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenOn, urlOf } from "../../simulator/server";
import { closeFixtures, type Fixture, living, openFixture } from "../engine/harness";
import { cliRoot } from "../engine/workspace";
import { run } from "../install/run";
import { repository } from "../support/repository";
import { Registry } from "./registry";

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const { version, engines } = readJson(join(repository, "package.json"));

const folder = mkdtempSync(join(tmpdir(), "gpucluster-release-"));
const newFolder = (name: string) => mkdtempSync(join(folder, `${name}-`));
const out = join(folder, "out");

/** Makes the files of a release by a dry run; returns what that prints. */
const makeRelease = (to: string) =>
  run([process.execPath, join(repository, "scripts/release.mjs"), "--dry-run", to], repository);

/** The names of all files that were downloaded from the server, which stands for the place of our releases. */
const downloads: string[] = [];
const server = createServer(({ url = "" }, response) => {
  const file = join(out, url);
  if (!existsSync(file)) return response.writeHead(404).end();
  downloads.push(url.slice(1));
  // In one piece, because the engine asks for its length.
  return response.end(readFileSync(file));
});

let printed: string;
let address: string;
beforeAll(async () => {
  printed = await makeRelease(out);
  await listenOn(server, 0);
  address = urlOf(server);
});
afterAll(async () => {
  await closeFixtures();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const platforms = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-amd64`, `${system}-arm64`]);
const archive = (platform: string) => `pulumi-resource-gpucluster-v${version}-${platform}.tar.gz`;
const ownArchive = archive(`${process.platform}-${process.arch.replace("x64", "amd64")}`);

describe("the files of a release", () => {
  it("are the same in each run", async () => {
    const again = join(folder, "again");
    await makeRelease(again);
    expect(await run(["diff", "-r", out, again], repository)).toBe("");
  });

  it("are made without a repository too, and the release says what is missing", () => {
    const { repository: place } = readJson(join(repository, "package.json"));
    expect(printed.includes("package.json has no repository")).toBe(place === undefined);
  });

  it("have their sums in SHA256SUMS", async () => {
    const checked = await run(["sha256sum", "--check", "SHA256SUMS"], out);
    const files = readdirSync(out).filter((file) => file !== "SHA256SUMS");
    expect(checked.trim().split("\n").sort()).toEqual(files.map((file) => `${file}: OK`).sort());
  });

  it("are an archive of the plugin for each platform, the npm package, and a bill of materials", () => {
    const others = [`pulumi-gpucluster-${version}.tgz`, "sbom.cdx.json", "SHA256SUMS"];
    expect(readdirSync(out).sort()).toEqual([...platforms.map(archive), ...others].sort());
  });

  it("hold our licence, and the notices of third-party code", async () => {
    for (const file of readdirSync(out).filter((name) => /gz$/.test(name))) {
      const content = await run(["tar", "-tzf", file], out);
      expect({ file, licence: /\bLICENSE$/m.test(content) }).toEqual({ file, licence: true });
      expect({ file, notices: content.includes("THIRD-PARTY-NOTICES.txt") }).toEqual({ file, notices: true });
    }
  });

  it("hold the plugin of the npm package for every platform", async () => {
    const npm = newFolder("npm");
    await run(["tar", "-xzf", join(out, `pulumi-gpucluster-${version}.tgz`)], npm);
    for (const platform of platforms) {
      const plugin = newFolder(platform);
      await run(["tar", "-xzf", join(out, archive(platform))], plugin);
      expect(await run(["diff", "-r", join(npm, "package/plugin"), plugin], repository)).toBe("");
    }
  });

  it("name in the bill all third-party code that users get, and no time and no folder", () => {
    const bill = readJson(join(out, "sbom.cdx.json"));
    const names = bill.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl).replace(/@[^@]*$/, ""));
    expect(names).toEqual(
      expect.arrayContaining(["pkg:npm/undici", "pkg:npm/zod", "pkg:npm/@grpc/grpc-js", "pkg:npm/google-protobuf"]),
    );
    expect(names).not.toContain("pkg:npm/jest");
    expect(bill).not.toHaveProperty("serialNumber");
    expect(bill.metadata).not.toHaveProperty("timestamp");
    expect(bill.metadata.component.name).toBe("pulumi-gpucluster");
  });
});

/** A stack on a machine without any plugin, and with nothing but Node on the PATH. */
async function freshMachine(path = nodeAlone()): Promise<Fixture> {
  const fixture = await openFixture("");
  Object.assign(fixture.workspace.env, { PULUMI_HOME: newFolder("home"), PATH: path });
  await fixture.workspace.succeed("stack", "select", "test");
  downloads.length = 0;
  return fixture;
}

function nodeAlone(): string {
  const bin = newFolder("bin");
  symlinkSync(process.execPath, join(bin, "node"));
  return bin;
}

const inputs = { gpuType: "l4", container: "a/b:1" };
const yaml = (options?: object) => ({
  plugins: {},
  resources: { web: { type: "gpucluster:Cluster", properties: inputs, options } },
});

/** A program comes up, and is destroyed. */
async function live({ workspace, simulator }: Fixture, clusters = 1): Promise<void> {
  const { code, output } = await workspace.up();
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("1/1 replicas healthy") });
  expect(living(simulator)).toHaveLength(clusters);
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
}

describe("on a machine without plugins, the plugin of a release", () => {
  it("is installed by a command, and serves a program", async () => {
    const fixture = await freshMachine();
    fixture.workspace.yaml(yaml());
    await fixture.workspace.succeed("plugin", "install", "resource", "gpucluster", `v${version}`, "--server", address);
    await live(fixture);
    expect(downloads).toEqual([ownArchive]);
  });

  it("is downloaded for a YAML program that names the version and the address", async () => {
    const fixture = await freshMachine();
    fixture.workspace.yaml(yaml({ version, pluginDownloadURL: address }));
    await live(fixture);
    expect(downloads).toEqual([ownArchive]);
  });

  it("says what it needs if there is no Node", async () => {
    const { workspace, simulator } = await freshMachine(newFolder("empty"));
    workspace.yaml(yaml());
    await workspace.succeed("plugin", "install", "resource", "gpucluster", version, "--server", address);
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    const needs = engines.node.replace(">=", ">= ");
    expect(output).toContain(`gpucluster: the plugin needs Node.js ${needs} on the PATH; none was found.`);
    expect(simulator.requests).toEqual([]);
  });
});

test("the package for npm is published, installed from a registry, and serves a program with both providers", async () => {
  const registry = await new Registry(newFolder("registry")).start();
  await registry.publish(join(out, `pulumi-gpucluster-${version}.tgz`));
  const fixture = await freshMachine(String(process.env["PATH"]));
  const project = fixture.workspace.folder;
  rmSync(join(project, "node_modules"), { recursive: true });
  fixture.workspace.program(`const native = require("pulumi-gpucluster/native");
    new gpu.Cluster("dynamic", ${JSON.stringify(inputs)});
    new native.Cluster("native", ${JSON.stringify(inputs)});`);
  await registry.install(project, "pulumi-gpucluster");
  // What the last job of a release runs.
  const installed = join(repository, "scripts/release/installed.sh");
  const path = `PATH=${join(cliRoot, "bin")}:${process.env["PATH"]}`;
  const output = await run(["env", path, ...registry.env, installed, `pulumi-gpucluster@${version}`], repository);
  registry.stop();
  expect(output).toMatch(/2\/2 replicas healthy[\s\S]*2 unchanged[\s\S]*2 deleted/);
  await live(fixture, 2);
  expect(downloads).toEqual([]);
});
