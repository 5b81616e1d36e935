import { Cluster } from "../../../sdk";
import { pauseDebugTraces } from "../../../sdk/debugTraces";
import { Cluster as NativeCluster } from "../../../sdk/native";
import { runProgram } from "./program";

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

  it("leaves the format of call stacks as it was, also if the declaration fails", async () => {
    await runProgram(() => {
      formatted();
      const before = Error.prepareStackTrace;
      new Declared("web", args);
      expect(Error.prepareStackTrace).toBe(before);
      expect(() => new Declared("", args)).toThrow("Missing resource name");
      expect(Error.prepareStackTrace).toBe(before);
      Error.prepareStackTrace = original;
    });
  });
});

describe("a pause of debug traces", () => {
  it("changes nothing if call stacks have no format of their own", () => {
    Reflect.deleteProperty(Error, "prepareStackTrace");
    pauseDebugTraces();
    expect(Error.prepareStackTrace).toBeUndefined();
  });

  it("keeps a format that was set during it", () => {
    formatted();
    const resume = pauseDebugTraces();
    formatted();
    const own = Error.prepareStackTrace;
    resume();
    expect(Error.prepareStackTrace).toBe(own);
  });

  it("calls a format as Node does", () => {
    Error.prepareStackTrace = function (this: unknown) {
      return this === Error ? "ours" : "not called as Node does";
    };
    const resume = pauseDebugTraces();
    const { stack } = new Error("any");
    resume();
    expect(stack).toBe("ours");
  });
});
