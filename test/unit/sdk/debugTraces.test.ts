import { Cluster } from "../../../sdk";
import { skipDebugTraces } from "../../../sdk/debugTraces";
import { Cluster as NativeCluster } from "../../../sdk/native";
import { failureOf } from "../cluster/harness";
import { clusterArgs, stacksFormattedBy } from "./debugTraces";
import { runProgram } from "./program";

const sdk: { debuggablePromise(promise: Promise<unknown>, label: string): Promise<unknown> } =
  require("@pulumi/pulumi/runtime/debuggable");

describe.each([
  ["dynamic", Cluster],
  ["native", NativeCluster],
])("the declaration of a %s cluster", (_adapter, Declared) => {
  it("takes no call stack for its outputs, and the one of its place in the program", async () => {
    const names = await stacksFormattedBy(() => new Declared("web", clusterArgs));
    expect(names.filter((name) => name === "debuggablePromise")).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });

  it("has an error with the place in the program, if it fails", async () => {
    const failure = await failureOf(runProgram(() => new Declared("", clusterArgs)));
    expect(failure.message).toContain("Missing resource name");
    expect(failure.stack).toContain("debugTraces.test.ts");
  });
});

describe("without the debug traces of the SDK", () => {
  it("a promise has no call stack, and an error after it has its own", async () => {
    skipDebugTraces();
    const [promise, limit] = [Promise.resolve("value"), Error.stackTraceLimit];
    expect(await sdk.debuggablePromise(promise, "any")).toBe("value");
    expect(Reflect.get(promise, "_debugStackTrace")).toBeUndefined();
    expect(Error.stackTraceLimit).toBe(limit);
    expect(new Error("any").stack).toContain("debugTraces.test.ts");
  });

  it("the SDK is changed once", () => {
    const { debuggablePromise } = sdk;
    skipDebugTraces();
    expect(sdk.debuggablePromise).toBe(debuggablePromise);
  });

  it("an SDK that takes none stays as it is", () => {
    jest.isolateModules(() => {
      jest.doMock("@pulumi/pulumi/runtime/debuggable", () => {
        throw new Error("there is no such module");
      });
      const fresh: typeof import("../../../sdk/debugTraces") = require("../../../sdk/debugTraces");
      expect(() => fresh.skipDebugTraces()).not.toThrow();
    });
    jest.dontMock("@pulumi/pulumi/runtime/debuggable");
  });
});
