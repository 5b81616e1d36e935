import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import { newFolder } from "../support/folders";
import { type ProviderProcess, startProvider } from "../support/providerProcess";
import { repository } from "../support/repository";

const folder = newFolder();
/** Uncaught errors in the plugin's process, on a signal. */
const errors = join(folder, "errors.cjs");
writeFileSync(
  errors,
  `process.on("SIGHUP", () => { throw new Error("nobody catches this"); });
  process.on("SIGUSR2", () => void Promise.reject(new Error("nobody catches this")));`,
);

const type = "gpucluster:index:Cluster";
const inputsOf = (name: string) => ({ name, gpuType: "h100", container: "acme/model:1", replicas: 1 });
const reason = "the provider ends because of an unexpected error: nobody catches this";

let simulator: Simulator;
let plugin: ProviderProcess;

beforeEach(async () => {
  simulator = await startSimulator({ provisioningMs: 600_000 });
  const env = { GPUCLUSTER_BASE_URL: simulator.url, GPUCLUSTER_API_KEY: simulator.apiKey };
  const args = ["-r", errors, join(repository, "plugin/pulumi-resource-gpucluster")];
  plugin = await startProvider(args, { cwd: folder, env });
});

afterEach(async () => {
  await plugin.close();
  await simulator.close();
});

const idOf = (name: string) => simulator.clusters().find((cluster) => cluster.name === name)?.id;

/** Resolves when the service has made a cluster; it may answer later. */
async function made(name: string): Promise<void> {
  while (idOf(name) === undefined) await soon();
}

const soon = () => new Promise((done) => setTimeout(done, 20));

describe("an uncaught error in the plugin", () => {
  it.each<[string, NodeJS.Signals]>([
    ["an exception", "SIGHUP"],
    ["a rejection", "SIGUSR2"],
  ])(
    "ends the process when every open call has its answer, even a creation in flight, and refuses later calls: %s",
    async (_title, signal) => {
      const waiting = plugin.create(type, inputsOf("waiting"));
      await made("waiting");
      simulator.fault({ kind: "delay", ms: 1_500, method: "POST", path: "/v1/clusters", when: "after" });
      const open = plugin.create(type, inputsOf("open"));
      await made("open");
      plugin.signal(signal);
      while (plugin.messages.length === 0) await soon();
      expect(await plugin.create(type, inputsOf("late"))).toEqual({
        id: "",
        error: expect.stringMatching(/No connection/),
      });
      expect(await Promise.all([waiting, open])).toEqual([
        { id: idOf("waiting"), error: expect.stringContaining(reason) },
        { id: idOf("open"), error: expect.stringContaining(reason) },
      ]);
      expect(await plugin.ended).toEqual([1, null]);
      expect(plugin.messages).toEqual([`ERROR: ${reason}`]);
      expect(simulator.clusters().map(({ name }) => name)).toEqual(["waiting", "open"]);
    },
  );

  it("ends the process at once if no call is open", async () => {
    plugin.signal("SIGHUP");
    expect(await plugin.ended).toEqual([1, null]);
  });
});
