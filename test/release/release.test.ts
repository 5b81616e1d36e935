import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { closeBenches, living, openBench } from "../engine/harness";
import { run } from "../install/run";
import { Release } from "./files";

const repository = resolve(__dirname, "../..");
const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const { version, engines } = readJson(join(repository, "package.json"));

// A fresh machine compiles the generators of SDKs, and the dependencies of the Go SDK.
jest.setTimeout(20 * 60_000);

let release: Release;
let server: Server;
beforeAll(async () => {
  release = await new Release().make();
  server = createServer(({ url = "" }, response) => {
    const file = join(release.out, url);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterAll(async () => {
  await closeBenches();
  server.close();
  release.remove();
});

const program = {
  resources: { web: { type: "gpucluster:Cluster", properties: { gpuType: "l4", container: "a/b:1" } } },
};

/** A stack on a machine without any plugin. */
async function freshMachine() {
  const bench = await openBench("");
  bench.workspace.env["PULUMI_HOME"] = release.folder("home");
  await bench.workspace.succeed("stack", "select", "test");
  bench.workspace.yaml({ plugins: {}, ...program });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await bench.workspace.succeed("plugin", "install", "resource", "gpucluster", `v${version}`, "--server", address);
  return bench;
}

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
        ...platforms.map((platform) => `pulumi-resource-gpucluster-v${version}-${platform}.tar.gz`),
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

  it("name in the bill all code of others that users get, and no time and no folder", () => {
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

describe("the plugin of a release, downloaded by the engine", () => {
  it("serves a program", async () => {
    const { workspace, simulator } = await freshMachine();
    expect((await workspace.up()).output).toContain("1/1 replicas healthy");
    expect(living(simulator)).toHaveLength(1);
    expect((await workspace.destroy()).code).toBe(0);
    expect(living(simulator)).toEqual([]);
  });

  it("says what it needs on a machine without Node", async () => {
    const { workspace } = await freshMachine();
    workspace.env["PATH"] = release.folder("empty");
    const { code, output } = await workspace.up();
    expect(code).not.toBe(0);
    expect(output).toContain(`needs Node.js ${engines.node.replace(">=", ">= ")}`);
  });
});
