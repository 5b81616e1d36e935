import { readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { closeFixtures, type Fixture, living, openFixture } from "../engine/harness";
import { run } from "../install/run";
import { Release } from "./files";
import { Registry } from "./registry";
import { Downloads } from "./server";

const repository = resolve(__dirname, "../..");
const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const { version, engines } = readJson(join(repository, "package.json"));

let release: Release;
let downloads: Downloads;
let address: string;
beforeAll(async () => {
  release = await new Release().make();
  downloads = new Downloads(release.out);
  address = await downloads.start();
});
afterAll(async () => {
  await closeFixtures();
  downloads.stop();
  release.remove();
});

const platforms = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-amd64`, `${system}-arm64`]);
const archive = (platform: string) => `pulumi-resource-gpucluster-v${version}-${platform}.tar.gz`;
const ownArchive = archive(`${process.platform}-${process.arch.replace("x64", "amd64")}`);

describe("the files of a release", () => {
  it("are the same in each run", async () => {
    const again = await new Release().make();
    expect(await run(["diff", "-r", release.out, again.out], repository)).toBe("");
    again.remove();
  });

  it("are made without a repository too, and the release says what is missing", () => {
    const { repository: place } = readJson(join(repository, "package.json"));
    expect(release.printed.includes("package.json has no repository")).toBe(place === undefined);
  });

  it("have their sums in SHA256SUMS", async () => {
    const checked = await run(["sha256sum", "--check", "SHA256SUMS"], release.out);
    const files = readdirSync(release.out).filter((file) => file !== "SHA256SUMS");
    expect(checked.trim().split("\n").sort()).toEqual(files.map((file) => `${file}: OK`).sort());
  });

  it("are an archive of the plugin for each platform, the npm package, and a bill of materials", () => {
    const others = [`pulumi-gpucluster-${version}.tgz`, "sbom.cdx.json", "SHA256SUMS"];
    expect(readdirSync(release.out).sort()).toEqual([...platforms.map(archive), ...others].sort());
  });

  it("hold our licence, and the notices of third-party code", async () => {
    for (const file of readdirSync(release.out).filter((name) => /gz$/.test(name))) {
      const content = await run(["tar", "-tzf", file], release.out);
      expect({ file, licence: /\bLICENSE$/m.test(content) }).toEqual({ file, licence: true });
      expect({ file, notices: content.includes("THIRD-PARTY-NOTICES.txt") }).toEqual({ file, notices: true });
    }
  });

  it("hold the plugin of the npm package for every platform", async () => {
    const folder = release.folder("npm");
    await run(["tar", "-xzf", join(release.out, `pulumi-gpucluster-${version}.tgz`)], folder);
    for (const platform of platforms) {
      const plugin = release.folder(platform);
      await run(["tar", "-xzf", join(release.out, archive(platform))], plugin);
      expect(await run(["diff", "-r", join(folder, "package/plugin"), plugin], repository)).toBe("");
    }
  });

  it("name in the bill all third-party code that users get, and no time and no folder", () => {
    const bill = readJson(join(release.out, "sbom.cdx.json"));
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
  Object.assign(fixture.workspace.env, { PULUMI_HOME: release.folder("home"), PATH: path });
  await fixture.workspace.succeed("stack", "select", "test");
  downloads.names.length = 0;
  return fixture;
}

function nodeAlone(): string {
  const folder = release.folder("bin");
  symlinkSync(process.execPath, join(folder, "node"));
  return folder;
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
    expect(downloads.names).toEqual([ownArchive]);
  });

  it("is downloaded for a YAML program that names the version and the address", async () => {
    const fixture = await freshMachine();
    fixture.workspace.yaml(yaml({ version, pluginDownloadURL: address }));
    await live(fixture);
    expect(downloads.names).toEqual([ownArchive]);
  });

  it("says what it needs if there is no Node", async () => {
    const { workspace, simulator } = await freshMachine(release.folder("empty"));
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
  const registry = await new Registry(release.folder("registry")).start();
  await registry.publish(join(release.out, `pulumi-gpucluster-${version}.tgz`));
  const fixture = await freshMachine(String(process.env["PATH"]));
  const { folder } = fixture.workspace;
  rmSync(join(folder, "node_modules"), { recursive: true });
  fixture.workspace.program(`const native = require("pulumi-gpucluster/native");
    new gpu.Cluster("dynamic", ${JSON.stringify(inputs)});
    new native.Cluster("native", ${JSON.stringify(inputs)});`);
  await registry.install(folder, "pulumi-gpucluster");
  registry.stop();
  await live(fixture, 2);
  expect(downloads.names).toEqual([]);
});
