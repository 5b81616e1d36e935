import type { EngineEvent } from "@pulumi/pulumi/automation";
import { factsIn, progressOf } from "../../../sdk/automation/progress";

const clusterType = "pulumi-nodejs:dynamic/gpucluster:Cluster";
const urn = `urn:pulumi:dev::shop::${clusterType}::web`;

/** Events are JSON from another program: they have fields that the types of the SDK do not have. */
function event(fields: object): EngineEvent {
  return { sequence: 1, timestamp: 1, ...fields };
}

const metadata = (op: string, type = clusterType) => ({ op, urn: urn.replace(clusterType, type), type, provider: "" });
const told = (fields: object) =>
  progressOf(event(fields)).map(({ kind, status, severity }) => [kind, status, severity]);

describe("a message of a resource", () => {
  it("is a status if it is ephemeral", () => {
    const message = "2/4 replicas healthy, provisioning, 3m10s of 60m\n";
    const diagnosticEvent = { urn, message, severity: "info", ephemeral: true, color: "never" };
    expect(progressOf(event({ diagnosticEvent }))).toEqual([
      { kind: "status", resource: "web", urn, status: message.trim(), severity: "info" },
    ]);
  });

  it.each([
    ["info#err", "info"],
    ["warning", "warning"],
  ])("stays as a message of severity %s", (severity, shown) => {
    expect(told({ diagnosticEvent: { urn, message: "look", severity } })).toEqual([["message", "look", shown]]);
  });

  it("is left out if it is a debug line: those contain the values of env", () => {
    const message = "RegisterResource RPC prepared: env canary";
    expect(told({ diagnosticEvent: { message, severity: "debug" } })).toEqual([]);
  });
});

describe("a step on a resource", () => {
  it.each([
    ["update", "updating", "updated"],
    ["create-replacement", "creating", "created"],
    ["delete-replaced", "deleting", "deleted"],
  ])("begins and ends: %s", (op, begins, ends) => {
    expect(told({ resourcePreEvent: { metadata: metadata(op) } })).toEqual([["begins", begins, "info"]]);
    expect(told({ resOutputsEvent: { metadata: metadata(op) } })).toEqual([["ends", ends, "info"]]);
  });

  it("is planned once in a preview", () => {
    const planned = { metadata: metadata("create"), planning: true };
    expect(told({ resourcePreEvent: planned })).toEqual([["plans", "to be created", "info"]]);
    expect(told({ resOutputsEvent: planned })).toEqual([]);
  });

  it("fails", () => {
    expect(told({ resOpFailedEvent: { metadata: metadata("create") } })).toEqual([["fails", "failed", "error"]]);
  });

  it.each(["same", "create-replacement"])("is left out of a preview: %s", (op) => {
    expect(told({ resourcePreEvent: { metadata: metadata(op), planning: true } })).toEqual([]);
  });

  it("is not one of the engine's own, nor in its other events", () => {
    expect(told({ resourcePreEvent: { metadata: metadata("create", "pulumi:pulumi:Stack") } })).toEqual([]);
    expect(told({ preludeEvent: { config: { "shop:token": "canary" } } })).toEqual([]);
  });
});

describe("the facts of a text", () => {
  it.each<[string, string, string[]]>([
    [
      "of a resource that is not ready, without bullets and counts",
      "1 error occurred:\n\t* web was created, but is not ready\n      replica rep_1: unhealthy, out of memory\n\n\n",
      ["web was created, but is not ready", "replica rep_1: unhealthy, out of memory"],
    ],
    [
      "of an exception, without its call stack",
      "Unhandled exception: Error: no such file\n    at Object.init (/app/index.ts:17:47)\n    at process.run (node:internal/q:95:5)\n",
      ["no such file"],
    ],
    ["in colours", "\u001b[31mred\u001b[0m <{%fg 1%}>and more<{%reset%}>\n", ["red and more"]],
  ])("%s", (_of, text, facts) => {
    expect(factsIn(text)).toEqual(facts);
  });
});
