import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import fc from "fast-check";
import * as dynamic from "../../../provider/adapters/dynamic";
import { fromStruct, toStruct } from "../../../provider/adapters/messages";
import { serviceOf } from "../../../provider/adapters/plugin";
import { Session } from "../../../provider/adapters/session";
import { systemClock } from "../../../provider/base/clock";
import { inputNames } from "../../../provider/cluster/schema/fields";
import { stateOutputNames } from "../../../provider/cluster/schema/stateFields";
import type { Properties } from "../../../provider/contract";
import { type Simulator, startSimulator } from "../../../simulator";
import { runs } from "../../support/shares";
import type { VirtualClock } from "../../support/virtualClock";
import { completed, urnOf } from "../cluster/inputs";
import { configOf, forgetEnvironment, useEnvironment } from "../providerHarness";
import { call } from "./pluginCall";

/** Whatever a state holds, each adapter answers the engine with a result, or with an error that is written for users. */

// The adapters use the real clock; here it is a virtual one.
jest.mock("../../../provider/base/clock", () => jest.requireActual("../../support/clockMock"));
const clock = systemClock as VirtualClock;
const nativeUrn = "urn:pulumi:dev::shop::gpucluster:index:Cluster::web";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ clock, rateLimit: 1_000_000 });
  useEnvironment(simulator);
});

afterAll(async () => {
  forgetEnvironment();
  await simulator.close();
});

/** The calls of the engine about one cluster that exists. */
interface Adapter {
  check(state: Properties, news: Properties): Promise<unknown>;
  diff(id: string, state: Properties, news: Properties): Promise<unknown>;
  read(id: string, state: Properties): Promise<Properties>;
  update(id: string, state: Properties, news: Properties): Promise<unknown>;
  delete(id: string, state: Properties): Promise<unknown>;
}

function openDynamic(): Adapter {
  const marked = (properties: Properties) => ({ __urn: urnOf("web"), __provider: "its text", ...properties });
  return {
    check: (state, news) => dynamic.check(marked(state), marked(news)),
    diff: (id, state, news) => dynamic.diff(id, marked(state), marked(news)),
    read: async (id, state) => ({ ...(await dynamic.read(id, marked(state))).props }),
    update: (id, state, news) => dynamic.update(id, marked(state), marked(news)),
    delete: (id, state) => dynamic.delete(id, marked(state)),
  };
}

async function openPlugin(): Promise<Adapter> {
  const service = serviceOf(new Session());
  const config = Object.entries(configOf(simulator)).map(([name, value]) => [name.split(":")[1], value]);
  await call(service.configure, new proto.ConfigureRequest().setArgs(toStruct(Object.fromEntries(config))));
  const changeOf = (request: proto.DiffRequest | proto.UpdateRequest, state: Properties, news: Properties) =>
    request.setUrn(nativeUrn).setOlds(toStruct(state)).setNews(toStruct(news));
  return {
    check: (state, news) =>
      call(service.check, new proto.CheckRequest().setUrn(nativeUrn).setOlds(toStruct(state)).setNews(toStruct(news))),
    diff: (id, state, news) => call(service.diff, changeOf(new proto.DiffRequest().setId(id), state, news)),
    read: async (id, state) => {
      const request = new proto.ReadRequest().setId(id).setUrn(nativeUrn).setProperties(toStruct(state));
      return fromStruct((await call<proto.ReadResponse>(service.read, request)).getProperties());
    },
    update: (id, state, news) => call(service.update, changeOf(new proto.UpdateRequest().setId(id), state, news)),
    delete: (id, state) =>
      call(service.delete, new proto.DeleteRequest().setId(id).setUrn(nativeUrn).setProperties(toStruct(state))),
  };
}

const adapters: [string, () => Adapter | Promise<Adapter>][] = [
  ["dynamic", openDynamic],
  ["plugin", openPlugin],
];

/** What an error of JavaScript itself says, or a stack trace. */
const bare =
  /\n\s+at |(Type|Reference|Range|Syntax)Error|is not (a function|iterable|defined|a valid)|Cannot |reading '|\[object /;

/** The text of the failure, which is empty after a success. */
async function textOf(work: Promise<unknown>): Promise<string> {
  return clock.run(
    work.then(
      () => "",
      (error) => [error.message, ...(error.reasons ?? []), error.details ?? ""].join("\n"),
    ),
  );
}

/** A healthy cluster of the service. */
const addCluster = () => simulator.addCluster({ name: "web", gpuType: "h100", replicas: 2 }).id;

describe.each(adapters)("the %s adapter with a state that was edited by hand", (_name, open) => {
  const hidden = ["__observed", "__seenBy", "__unfinished", "__sent", "__createdAt", "__resumedAt", "__fixed"];
  const ofInputs = ["__secrets", "__timeouts", "__generatedName", "__urn", "__provider"];
  const names = [...inputNames, ...stateOutputNames, ...hidden, ...ofInputs, "aFutureProperty", "__future"];
  const edits = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 });

  it("returns results, or errors that are written for users", async () => {
    const adapter = await open();
    const law = fc.asyncProperty(edits, async (edit) => {
      const id = addCluster();
      const state = { ...completed, settled: true, ...edit };
      const texts = [
        await textOf(adapter.check(state, completed)),
        await textOf(adapter.diff(id, state, { ...completed, replicas: 3 })),
        await textOf(adapter.read(id, state)),
        await textOf(adapter.update(id, state, { ...completed, replicas: 3 })),
        await textOf(adapter.delete(id, state)),
      ];
      // The next one is alone again.
      simulator.change(id, { status: "gone" });
      expect(texts.join("\n")).not.toMatch(bare);
    });
    await fc.assert(law, { numRuns: runs(60) });
  });
});

interface Stored {
  readonly type: string;
  readonly outputs: Properties;
}

const file = join(__dirname, "../../fixtures/states/0.1.0/stack.json");
const resources: Stored[] = JSON.parse(readFileSync(file, "utf8")).deployment.resources;
const stored = resources.filter(({ type }) => type.endsWith(":Cluster")).map(({ outputs }) => outputs);

/** As a later version may have written it. */
const unknown = { aFutureProperty: { a: [1] }, __future: "x" };

describe.each(adapters)("the %s adapter with a state of another version", (_name, open) => {
  it.each(stored.map((outputs) => [outputs["name"], outputs]))("reads, changes and deletes %s", async (_of, old) => {
    const adapter = await open();
    const { name, gpuType, replicas, container, env, __seenBy, ...others } = old as typeof completed;
    const record = { name, gpuType, replicas, container, env: env ?? {} } as Parameters<Simulator["addCluster"]>[0];
    const { id } = simulator.addCluster(record);
    const state = { name, gpuType, replicas, container, ...(env ? { env } : {}), ...others, ...unknown };
    const found = await clock.run(adapter.read(id, state));
    expect(found).toMatchObject({ name, gpuType, replicas, container });
    expect(await textOf(adapter.check(state, state))).toBe("");
    expect(await textOf(adapter.diff(id, state, state))).toBe("");
    expect(await textOf(adapter.update(id, found, { ...found, replicas: 4 }))).toBe("");
    expect(await textOf(adapter.delete(id, found))).toBe("");
  });
});
