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
    ["info", "info"],
    ["info#err", "info"],
    ["warning", "warning"],
    ["error", "error"],
  ])("stays as a message of severity %s", (severity, shown) => {
    expect(told({ diagnosticEvent: { urn, message: "look", severity } })).toEqual([["message", "look", shown]]);
  });

  it("is about no resource if the engine names none", () => {
    const [line] = progressOf(event({ diagnosticEvent: { message: "update failed\n", severity: "error" } }));
    expect(line).toMatchObject({ resource: "", urn: "" });
  });

  it("is left out if it is a debug line: those contain the values of env", () => {
    const message = "RegisterResource RPC prepared: env canary";
    expect(told({ diagnosticEvent: { message, severity: "debug" } })).toEqual([]);
  });
});

describe("a step on a resource", () => {
  it.each([
    ["create", "creating", "created"],
    ["update", "updating", "updated"],
    ["delete", "deleting", "deleted"],
    ["create-replacement", "creating", "created"],
    ["delete-replaced", "deleting", "deleted"],
    ["refresh", "refreshing", "refreshed"],
  ])("begins and ends: %s", (op, begins, ends) => {
    expect(told({ resourcePreEvent: { metadata: metadata(op) } })).toEqual([["begins", begins, "info"]]);
    expect(told({ resOutputsEvent: { metadata: metadata(op) } })).toEqual([["ends", ends, "info"]]);
  });

  it.each([
    ["create", "to be created"],
    ["update", "to be updated"],
    ["delete", "to be deleted"],
    ["replace", "to be replaced"],
  ])("is planned once in a preview: %s", (op, plans) => {
    expect(told({ resourcePreEvent: { metadata: metadata(op), planning: true } })).toEqual([["plans", plans, "info"]]);
    expect(told({ resOutputsEvent: { metadata: metadata(op), planning: true } })).toEqual([]);
  });

  it("fails", () => {
    expect(told({ resOpFailedEvent: { metadata: metadata("create") } })).toEqual([["fails", "failed", "error"]]);
  });

  it.each(["same", "read", "create-replacement"])("is left out of a preview: %s", (op) => {
    expect(told({ resourcePreEvent: { metadata: metadata(op), planning: true } })).toEqual([]);
  });

  it.each(["pulumi:pulumi:Stack", "pulumi:providers:pulumi-nodejs"])(
    "is not reported of the engine's own %s",
    (type) => {
      expect(told({ resourcePreEvent: { metadata: metadata("create", type) } })).toEqual([]);
    },
  );

  it("is not in the engine's other events", () => {
    expect(told({ preludeEvent: { config: { "shop:token": "canary" } } })).toEqual([]);
    expect(told({ cancelEvent: {} })).toEqual([]);
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
    ["of several errors", "2 errors occurred:\n\t* one\n\t* two\n\n", ["one", "two"]],
    ["in colours", "\u001b[31mred\u001b[0m <{%fg 1%}>and more<{%reset%}>\n", ["red and more"]],
    ["that begins with the word at", "at least 2 replicas are needed", ["at least 2 replicas are needed"]],
  ])("%s", (_of, text, facts) => {
    expect(factsIn(text)).toEqual(facts);
  });
});
