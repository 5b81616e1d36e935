import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { linksIn } from "../support/documents";
import { newFolder } from "../support/folders";
import { manifest, read, repository } from "../support/repository";

const run = promisify(execFile);

/** The files of the tarball, as npm would pack it. */
async function packedFiles(): Promise<string[]> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await run("npm", args, { cwd: repository, shell: process.platform === "win32" });
  const files: { path: string }[] = JSON.parse(stdout)[0].files;
  return files.map(({ path }) => path);
}

/** What the build makes of the sources: nothing in `dist` may be older than they are, or come from elsewhere. */
function builtFiles(): string[] {
  const sources = ["provider", "sdk", "simulator"].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  const modules = sources
    .filter((file) => file.endsWith(".ts") && !/^provider.adapters.(plugin|session)\b/.test(file))
    .map((file) => file.replace(/\.ts$/, ""));
  return modules.flatMap((file) => [`dist/${file}.js`, `dist/${file}.d.ts`]).map((file) => file.replaceAll("\\", "/"));
}

/** The files of a folder that git holds, without those that npm never packs, and the sources of the recordings. */
function trackedIn(folder: string): string[] {
  const { stdout } = spawnSync("git", ["ls-files", folder], { cwd: repository, encoding: "utf8" });
  return stdout.split("\n").filter((file) => file !== "" && !/\.(cast|gitignore)$/.test(file));
}

const pluginFiles = [
  ...["package.json", "pulumi-resource-gpucluster", "pulumi-resource-gpucluster.cmd"],
  ...["LICENSE", "THIRD-PARTY-NOTICES.txt"],
].map((file) => `plugin/${file}`);

describe("the tarball", () => {
  it("contains the build of every source, the licence and the documents, and nothing else", async () => {
    const pages = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SKILL.md"];
    const documents = [...pages, "LICENSE", "package.json", ...["docs", "examples", "templates"].flatMap(trackedIn)];
    expect((await packedFiles()).sort()).toEqual([...documents, ...builtFiles(), ...pluginFiles].sort());
  });

  it("contains no path of the machine that built it", async () => {
    const absolute = /file:\/\/\/|\/(home|root|Users|tmp|var|opt|work)\/|\b[A-Z]:\\/;
    for (const file of await packedFiles()) {
      const text = read(file);
      // Documents and examples name folders of their readers.
      const isBuilt = /^(dist|plugin)\//.test(file);
      expect({ file, path: isBuilt ? absolute.exec(text)?.[0] : undefined }).toEqual({ file, path: undefined });
      expect({ file, isNamed: text.includes(repository) }).toEqual({ file, isNamed: false });
    }
  });

  it("contains what its pages link to", async () => {
    const files = await packedFiles();
    const targets = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) => {
        const paths = linksIn(read(file)).map((link) => link.replace(/#.*$/, ""));
        return paths.filter(Boolean).map((path) => posix.join(posix.dirname(file), path).replace(/\/$/, ""));
      });
    expect(targets.length).toBeGreaterThan(100);
    expect(targets.filter((target) => !files.some((file) => `${file}/`.startsWith(`${target}/`)))).toEqual([]);
  });

  it("needs undici and zod at run time, and the Pulumi SDK of the program", () => {
    expect(Object.keys(manifest.dependencies)).toEqual(["undici", "zod"]);
    expect(Object.keys(manifest.peerDependencies)).toEqual(["@pulumi/pulumi"]);
  });
});

test.each([".", "test/release/registry"])(
  "a lock pins the content of every package, and names no registry: %s",
  (folder) => {
    const { packages } = JSON.parse(readFileSync(join(repository, folder, "package-lock.json"), "utf8"));
    const locked = Object.entries<{ integrity?: string; resolved?: string; link?: boolean }>(packages);
    const installed = locked.filter(([path, { link }]) => path.includes("node_modules/") && !link);
    expect(installed.length).toBeGreaterThan(0);
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual(
      [],
    );
    expect(locked.filter(([, { resolved }]) => resolved?.includes("://")).map(([path]) => path)).toEqual([]);
  },
);

describe("the plugin", () => {
  const [manifestFile = "", executable = ""] = pluginFiles.map((file) => join(repository, file));

  it("is one file of at most 1.75 MB that the system may run, with a package of its own", () => {
    const { size, mode } = statSync(executable);
    expect(size).toBeLessThan(1.75 * 1024 * 1024);
    if (process.platform !== "win32") expect(mode & 0o111).toBe(0o111);
    const own = JSON.parse(readFileSync(manifestFile, "utf8"));
    // With a type, or without the file, Node may take the plugin for an ES module.
    expect(own).toEqual({ name: "pulumi-resource-gpucluster", version: manifest.version, private: true });
  });

  it("comes with the licence of every package of which it holds code", async () => {
    const folder = newFolder();
    const code = `import { buildPlugin } from "./scripts/plugin.mjs";
      const { outputs } = await buildPlugin(process.argv[1]);
      console.log(JSON.stringify(Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs))));`;
    const args = ["--input-type=module", "-e", code, folder];
    const bundled: string[] = JSON.parse((await run(process.execPath, args, { cwd: repository })).stdout);
    const packages = bundled.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
    expect(packages).toEqual(expect.arrayContaining(["undici", "zod", "@grpc/grpc-js", "google-protobuf"]));
    const notices = readFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), "utf8");
    for (const name of new Set(packages)) {
      const own = join(repository, "node_modules", name);
      const { version } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
      const licences = readdirSync(own).filter((file) => /^licen[cs]e/i.test(file));
      expect({ name, licences: licences.length }).not.toEqual({ name, licences: 0 });
      expect(notices).toContain(`\n${name} ${version}: `);
      for (const file of licences) expect(notices).toContain(readFileSync(join(own, file), "utf8"));
    }
    expect(read("plugin/THIRD-PARTY-NOTICES.txt")).toBe(notices);
  });

  it("needs nothing beside it, says its port first, and ends with the engine", async () => {
    const folder = newFolder();
    const alone = join(folder, "pulumi-resource-gpucluster");
    copyFileSync(executable, alone);
    const plugin = spawn(process.execPath, [alone, "127.0.0.1:1"], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(plugin, "exit");
    const [line] = await once(plugin.stdout.setEncoding("utf8"), "data");
    expect(line).toMatch(/^\d+\n$/);
    plugin.stdin.end();
    expect(await ended).toEqual([1, null]);
  });

  it.each([
    ["says which Node it needs if none is on the PATH", executable, { PATH: "/nonexistent" }, "none was found."],
    ["says which Node it needs if the one that runs it is too old", process.execPath, {}, "is v18.20.0."],
  ])("%s", async (_how, command, env, reason) => {
    const folder = newFolder();
    const old = join(folder, "old.cjs");
    writeFileSync(
      old,
      `Object.defineProperty(process, "version", { value: "v18.20.0" });
      Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.0" } });`,
    );
    const args = command === executable ? ["127.0.0.1:1"] : ["-r", old, executable, "127.0.0.1:1"];
    const failed = await run(command, args, { env: { ...process.env, ...env } }).catch((error: unknown) => error);
    const needs = manifest.engines.node.replace(">=", ">= ");
    expect(failed).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(`needs Node.js ${needs} on`) });
    expect(failed).toMatchObject({ stderr: expect.stringContaining(reason) });
  });

  it("runs by itself as the same process, which the engine can stop", async () => {
    const plugin = spawn(executable, ["127.0.0.1:1"], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(plugin, "exit");
    expect(String((await once(plugin.stdout, "data"))[0])).toMatch(/^\d+\n$/);
    plugin.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
  });
});

describe("the entry points", () => {
  const load = async (code: string) => {
    const { stdout } = await run(process.execPath, ["-e", code], { cwd: repository });
    return stdout.trim();
  };

  it("give programs the public surface, from CommonJS and from ESM", async () => {
    const names = await load('console.log(Object.keys(require("pulumi-gpucluster")).sort().join())');
    expect(names.split(",")).toEqual(expect.arrayContaining(["Cluster", "getCluster", "getGpuTypesOutput"]));
    const esm = await load('import("pulumi-gpucluster").then((gpu) => console.log(Object.keys(gpu).join()))');
    expect(esm.split(",")).toEqual(expect.arrayContaining(names.split(",")));
  });

  it("give states the provider under the name that they always contain, without loading the SDK", async () => {
    const code = `const provider = require("pulumi-gpucluster/provider");
      const sdk = Object.keys(require.cache).filter((file) => /@pulumi/.test(file));
      console.log(Object.keys(provider).sort().join(), sdk.length);`;
    expect(await load(code)).toBe("check,configure,create,delete,diff,read,update 0");
  });

  it("give native programs the classes of the plugin, without loading what only the plugin needs", async () => {
    const code = `const native = require("pulumi-gpucluster/native");
      const core = Object.keys(require.cache).filter((file) => /node_modules.(undici|zod).|dist.provider.(api|index|adapters.(?!privateApis))/.test(file));
      console.log(Object.keys(native).length, typeof native.Provider, core.length);`;
    expect(await load(code)).toBe("20 function 0");
  });

  it("give programs the report, which the others do not load", async () => {
    const code = `require("pulumi-gpucluster");
      const early = Object.keys(require.cache).filter((file) => /dist.sdk.automation/.test(file)).length;
      console.log(Object.keys(require("pulumi-gpucluster/automation")).sort().join(), early);`;
    expect(await load(code)).toBe("report 0");
  });

  it("give tests of users the simulator", async () => {
    const code = `require("pulumi-gpucluster/simulator").startSimulator().then(async (simulator) => {
      const { status } = await fetch(simulator.url + "/health", { headers: { authorization: "Bearer " + simulator.apiKey } });
      await simulator.close();
      console.log(status);
    });`;
    expect(await load(code)).toBe("200");
  });

  it("include the command that examines a service, which loads no SDK", async () => {
    const command = join(repository, manifest.bin["pulumi-gpucluster"]);
    const loaded =
      "Object.keys(require.cache).filter((file) => /node_modules.@pulumi|dist.provider.(cluster|functions|adapters|index)/.test(file)).length";
    expect(
      await load(`require(${JSON.stringify(command)}).run(["doctor"], {}).then(() => console.log(${loaded}));`),
    ).toBe("0");
  });
});
