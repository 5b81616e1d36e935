import { type Bench, canaryKey, living, openBench } from "./harness";
import type { Adapter, Wanted } from "./publishedPrograms";
import type { Run } from "./workspace";

/** Differences between the two public forms of the service. */
const forms = {
  documented: {
    /** Requests that give a cluster another image: the update alone. */
    imageWrites: ["PATCH /v1/clusters/:id"],
    changeEnv: changeEnvInPlace,
    gpuType: "rtx-4090",
  },
  client: {
    /** There is no update, which the provider detects by trying its methods; a redeploy names the image. */
    imageWrites: ["PATCH", "PUT", "POST"].map((method) => `${method} /v1/clusters/:id`).concat(redeploy()),
    changeEnv: changeEnvByReplacement,
    /** The replacement for other variables was created with the spelling that the program had by then. */
    gpuType: "RTX 4090",
  },
} as const;

/** The two public forms. Each adapter is tested with one of them: what the forms differ in is below the adapters. */
export type FormName = keyof typeof forms;

function redeploy(): string {
  return "POST /v1/clusters/:id/redeploy";
}

const reason = "image pull failed: manifest unknown";
const first: Wanted = {
  gpuType: "rtx-4090",
  replicas: 2,
  container: "team/server:1.0",
  env: { MODEL: "llama-3-8b", TOKEN: "canary-value-one" },
};
// From here on with the spelling of the service's own pages.
const respelled: Wanted = { ...first, gpuType: "RTX 4090" };
const scaled: Wanted = { ...respelled, replicas: 3 };
const renewed: Wanted = { ...scaled, container: "team/server:2.0" };
const changed: Wanted = { ...renewed, env: { MODEL: "mistral-7b", TOKEN: "canary-value-two" } };
const stopped: Wanted = { ...changed, desiredStatus: "stopped" };
const moved: Wanted = { ...changed, gpuType: "h100" };

/** A cluster's program and its cluster in the service. */
interface Stage {
  readonly bench: Bench;
  write(wanted: Wanted): void;
  /** The only cluster of the service. */
  web(): ReturnType<typeof living>[number];
  /** Requests since the last call that change something, with the ids of either form replaced. */
  writes(): string[];
}

/** Tests the whole life of a cluster on the published service, through the real CLI, with only key and address set. */
export function testPublishedLife(adapter: Adapter, form: FormName): void {
  describe(`the life of a cluster of the service in the form ${form}, in order`, () => {
    let stage: Stage;
    beforeAll(async () => {
      const bench = await openBench("", { dialect: form, faults: [{ kind: "fail", message: reason }] });
      stage = stageOf(bench, adapter);
      stage.write(first);
    });
    const preview = async (wanted: Wanted) => {
      stage.write(wanted);
      const { code, output } = await stage.bench.workspace.preview();
      expect(output).not.toContain("canary");
      expect(code).toBe(0);
      return output;
    };
    const up = async () => clean(await stage.bench.workspace.up());

    it("is previewed with its cost, and nothing is sent", async () => {
      const output = await preview(first);
      expect(output).toMatch(/gpuType\s*: "rtx-4090"\n\s*hourlyCost\s*: 0\.98\n/);
      expect(output).toContain("+ 2 to create");
      expect(output).not.toContain("warning");
      expect(stage.writes()).toEqual([]);
    });

    it("fails with the service's reason, and is kept", async () => {
      const { code, output } = await stage.bench.workspace.up();
      expect(output).toContain("was created, but is not ready: it is failed");
      expect(output).toContain(reason);
      expect(code).not.toBe(0);
      expect(stage.bench.workspace.storedClusters()).toEqual([expect.objectContaining({ id: stage.web().id })]);
    });

    it("is waited for by the next up, and created once", async () => {
      stage.bench.simulator.change(stage.web().id, { status: "running" });
      expect(await up()).toContain("2/2 replicas healthy");
      expect(stage.writes()).toEqual(["POST /v1/clusters"]);
      expect(stage.web()).toMatchObject({ gpuType: "rtx-4090", replicas: 2, env: first.env });
    });

    it("shows no change, in whatever spelling the GPU type is written", async () => {
      stage.write(respelled);
      const { code, output } = await stage.bench.workspace.preview("--expect-no-changes");
      expect(output).toContain("2 unchanged");
      expect(code).toBe(0);
      expect(stage.writes()).toEqual([]);
    });

    it("scales by one call, which the preview shows without the spelling", async () => {
      const output = await preview(scaled);
      expect(output).toMatch(/~ replicas\s*: 2 => 3\n/);
      expect(output).not.toContain("gpuType");
      expect(output).toContain("~ 1 to update");
      await up();
      expect(stage.writes()).toEqual(["POST /v1/clusters/:id/scale"]);
    });

    it("gets another image in place", async () => {
      const output = await preview(renewed);
      expect(output).toContain('~ container: "team/server:1.0" => "team/server:2.0"');
      expect(output).not.toMatch(/warning|to replace|is replaced/);
      await up();
      expect(stage.writes()).toEqual(forms[form].imageWrites);
      expect(stage.web()).toMatchObject({ replicas: 3, deployed: { container: "team/server:2.0", env: first.env } });
    });

    it("gets other variables in the way that the form supports", async () => {
      await forms[form].changeEnv(stage, preview);
      expect(stage.web()).toMatchObject({ replicas: 3, deployed: { container: changed.container, env: changed.env } });
      stage.writes();
    });

    it("stops and starts as the program says", async () => {
      const output = await preview(stopped);
      expect(output).toContain("web: it is stopped: all 3 replicas stop");
      expect(output).toMatch(/~ desiredStatus\s*: "running" => "stopped"/);
      await up();
      expect(stage.web().status).toBe("stopped");
      stage.write(changed);
      expect(await up()).toContain("3/3 replicas healthy");
      expect(stage.writes()).toEqual(["POST /v1/clusters/:id/stop", "POST /v1/clusters/:id/restart"]);
    });

    it("is replaced if the GPU type changes, the new one first", async () => {
      const output = await preview(moved);
      expect(output).toContain(
        "web: `gpuType` changes, so it is replaced: the old cluster with its 3 replicas is deleted, or kept and billed with `retainOnDelete`",
      );
      expect(output).toMatch(new RegExp(`~ gpuType\\s*: "${forms[form].gpuType}" => "h100"`));
      await up();
      expect(stage.writes()).toEqual(["POST /v1/clusters", "DELETE /v1/clusters/:id"]);
      expect(stage.web()).toMatchObject({ gpuType: "h100", replicas: 3, status: "running" });
    });

    it("has no further change, also after a refresh, and no secret in its state", async () => {
      expect((await stage.bench.workspace.preview("--refresh", "--expect-no-changes")).code).toBe(0);
      const state = stage.bench.workspace.stateText();
      expect(state).not.toContain("canary-value");
      expect(state).not.toContain(canaryKey);
    });

    it("is deleted, and destroy returns when it is gone", async () => {
      expect((await stage.bench.workspace.destroy()).output).toContain("deleted; it cost 8.97 per hour");
      expect(living(stage.bench.simulator)).toEqual([]);
      expect(stage.bench.workspace.storedClusters()).toEqual([]);
    });
  });
}

function stageOf(bench: Bench, adapter: Adapter): Stage {
  return {
    bench,
    write: (wanted) => adapter.writeCluster(bench.workspace, wanted),
    web: () => {
      const [web, ...others] = living(bench.simulator);
      expect(others).toEqual([]);
      if (!web) throw new Error("there is no cluster");
      return web;
    },
    writes: () => bench.writes().map((line) => line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, ":id")),
  };
}

/** The output of a run, which has to succeed and to show no secret. */
function clean({ code, output }: Run): string {
  expect(output).not.toContain("canary");
  expect(output).not.toContain("error:");
  expect(code).toBe(0);
  return output;
}

type Preview = (wanted: Wanted) => Promise<string>;

const envLines = /~ env\s*: \{\s+~ MODEL: "llama-3-8b" => "mistral-7b"\s+~ TOKEN: \[secret\] => \[secret\]/;

async function changeEnvInPlace({ bench, writes }: Stage, preview: Preview): Promise<void> {
  const output = await preview(changed);
  expect(output).toMatch(envLines);
  expect(output).not.toMatch(/warning|to replace|is replaced/);
  clean(await bench.workspace.up());
  expect(writes()).toEqual(["PATCH /v1/clusters/:id"]);
}

/** The service cannot change variables: the preview shows a replacement by itself, and `up` makes it. */
async function changeEnvByReplacement({ bench, web, writes }: Stage, preview: Preview): Promise<void> {
  const { id } = web();
  const output = await preview(changed);
  expect(output).toMatch(envLines);
  expect(output).toContain("+-1 to replace");
  expect(output).toMatch(
    /web: `env.MODEL` and `env.TOKEN` change, which the service cannot do in place, so it is replaced: the old cluster with its 3 replicas is deleted/,
  );
  expect(writes()).toEqual([]);
  clean(await bench.workspace.up());
  expect(writes()).toEqual(["POST /v1/clusters", "DELETE /v1/clusters/:id"]);
  expect(web().id).not.toBe(id);
  expect((await bench.workspace.preview("--expect-no-changes")).code).toBe(0);
}
