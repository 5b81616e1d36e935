import { Cluster } from "../../../sdk";
import { pauseDebugTraces } from "../../../sdk/debugTraces";
import { Cluster as NativeCluster } from "../../../sdk/native";
import { runProgram } from "./program";

const sdk: { debuggablePromise(promise: Promise<unknown>, label: string): Promise<unknown> } =
  require("@pulumi/pulumi/runtime/debuggable");

const args = { gpuType: "h100", container: "vllm/vllm-openai:v0.6.3", env: { MODEL: "llama" } };
const leaks = "PULUMI_DEBUG_PROMISE_LEAKS";
const original = Error.prepareStackTrace;

/** The first functions of the call stacks that are formatted, as source maps do it. */
function formatted(): string[] {
  const names: string[] = [];
  Error.prepareStackTrace = (_error, frames) => {
    names.push(frames[0]?.getFunctionName() ?? "");
    return "Error\n    at somewhere (/program/index.ts:1:1)";
  };
  return names;
}

/** What a pause changes while it lasts. */
const standing = () => ({ ...sdk, limit: Error.stackTraceLimit });

/** The call stack that the SDK has taken for a promise. */
const stackOf = (promise: Promise<unknown>): unknown => Reflect.get(promise, "_debugStackTrace");

function failureOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it has not failed");
}

afterEach(() => {
  Error.prepareStackTrace = original;
  delete process.env[leaks];
});

describe.each([
  ["dynamic", Cluster],
  ["native", NativeCluster],
])("the declaration of a %s cluster", (_adapter, Declared) => {
  const tracesOf = async () => {
    let names: string[] = [];
    await runProgram(() => {
      names = formatted();
      new Declared("web", args);
      names = [...names];
      Error.prepareStackTrace = original;
    });
    return names;
  };

  it("formats no call stack for its outputs, and the one of its place in the program", async () => {
    const names = await tracesOf();
    expect(names.filter((name) => name === "debuggablePromise")).toEqual([]);
    expect(names.length).toBeGreaterThan(0);
  });

  it("formats the call stack of each promise if somebody looks for promises that never end", async () => {
    process.env[leaks] = "1";
    const traces = (await tracesOf()).filter((name) => name === "debuggablePromise");
    // Four for each output: this is what the pause saves.
    expect(traces.length).toBeGreaterThan(100);
  });

  it("leaves the SDK as it was, also if the declaration fails, whose error names the place in the program", async () => {
    await runProgram(() => {
      const before = standing();
      new Declared("web", args);
      expect(standing()).toEqual(before);
      const failure = failureOf(() => new Declared("", args));
      expect(failure.message).toContain("Missing resource name");
      expect(failure.stack).toContain("debugTraces.test.ts");
      expect(standing()).toEqual(before);
    });
  });
});

describe("a pause of debug traces", () => {
  it("leaves out the call stacks that the SDK takes, and no other", async () => {
    const [paused, later] = [Promise.resolve(), Promise.resolve()];
    const resume = pauseDebugTraces();
    const traced = sdk.debuggablePromise(paused, "paused");
    const { stack } = new Error("other");
    resume();
    await Promise.all([traced, sdk.debuggablePromise(later, "later")]);
    expect(stackOf(paused)).toBeUndefined();
    expect(stackOf(later)).toContain("debugTraces.test.ts");
    expect(stack).toContain("debugTraces.test.ts");
  });

  it("ends with the pause around it", () => {
    const before = standing();
    const [outer, inner] = [pauseDebugTraces(), pauseDebugTraces()];
    inner();
    outer();
    expect(standing()).toEqual(before);
  });

  it("does nothing with an SDK that takes none", () => {
    jest.isolateModules(() => {
      jest.doMock("@pulumi/pulumi/runtime/debuggable", () => {
        throw new Error("there is no such module");
      });
      const {
        pauseDebugTraces: pause,
      }: typeof import("../../../sdk/debugTraces") = require("../../../sdk/debugTraces");
      expect(pause()()).toBeUndefined();
    });
    jest.dontMock("@pulumi/pulumi/runtime/debuggable");
  });
});
