import { EventEmitter } from "node:events";
import { engineAddressIn } from "../../../provider/adapters/engine";
import { isConfigSecret, isDynamicProvider, onCancel } from "../../../provider/adapters/privateApis";

describe("an interrupt", () => {
  const known: unknown = Reflect.get(process, "_getActiveHandles");
  const useHandles = (get: unknown) => Reflect.set(process, "_getActiveHandles", get);
  const serverOf = (properties: object) =>
    Object.assign(new EventEmitter(), { listening: true }, properties).on("stream", () => {});

  afterEach(() => useHandles(known));

  it("is seen by the call of the engine, and by no other", () => {
    const server = serverOf({});
    useHandles(() => [server]);
    const listener = jest.fn();
    onCancel(listener);
    server.emit("stream", {}, { ":path": "/pulumirpc.ResourceProvider/Create" });
    server.emit("stream", {}, undefined);
    expect(listener).not.toHaveBeenCalled();
    server.emit("stream", {}, { ":path": "/pulumirpc.ResourceProvider/Cancel" });
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("is not seen, without an error, in a version of Node or of the SDK that is made differently", () => {
    const listener = jest.fn();
    const other = serverOf({ listening: false });
    for (const handles of ["none", [undefined, "text", { listening: true }, new EventEmitter(), other]]) {
      useHandles(() => handles);
      onCancel(listener);
    }
    other.emit("stream", {}, { ":path": "/pulumirpc.ResourceProvider/Cancel" });
    expect(listener).not.toHaveBeenCalled();
  });
});

test("a dynamic provider is known by its command line, on Windows too, and the engine by the last argument", () => {
  const folders = ["/app/node_modules/@pulumi/pulumi/cmd", "C:\\app\\node_modules\\@pulumi\\pulumi\\cmd"];
  const commands = [`${folders[0]}/dynamic-provider/index.js`, `${folders[1]}\\dynamic-provider`, undefined];
  expect(commands.map((file) => isDynamicProvider(["node", ...(file ? [file] : [])]))).toEqual([true, true, false]);
  expect(engineAddressIn(["--tracing", "file:/tmp/trace", "127.0.0.1:4711"])).toBe("127.0.0.1:4711");
  expect([engineAddressIn(["-v=3"]), engineAddressIn([])]).toEqual([undefined, undefined]);
});

test("whether a value of the config is a secret is unknown without the function of the SDK", () => {
  expect(isConfigSecret({}, "gpucluster:apiKey")).toBeUndefined();
});
