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

  it.each<[string, unknown]>([
    ["is not seen, without an error, if Node returns no list", () => "none"],
    [
      "is not seen, without an error, if no handle is a server",
      () => [undefined, "text", { listening: true }, new EventEmitter()],
    ],
    ["is not seen, without an error, if the server does not listen", () => [serverOf({ listening: false })]],
  ])("%s", (_title, get) => {
    useHandles(get);
    const listener = jest.fn();
    onCancel(listener);
    expect(listener).not.toHaveBeenCalled();
  });
});

it.each<[boolean, string[]]>([
  [true, ["node", "/app/node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js", "127.0.0.1:1"]],
  [true, ["node", "C:\\app\\node_modules\\@pulumi\\pulumi\\cmd\\dynamic-provider", "127.0.0.1:1"]],
  [false, ["node"]],
])("isDynamicProvider is %s for this command line", (expected, argv) => {
  expect(isDynamicProvider(argv)).toBe(expected);
});

it.each<[string, object, boolean | undefined]>([
  [
    "a value of the config is a secret if the SDK says so",
    { isConfigSecret: (name: string) => name === "gpucluster:apiKey" },
    true,
  ],
  ["a value of the config is not a secret if the SDK says so", { isConfigSecret: () => false }, false],
  ["a value of the config is unknown without the function of the SDK", {}, undefined],
])("%s", (_title, runtime, expected) => {
  expect(isConfigSecret(runtime, "gpucluster:apiKey")).toBe(expected);
});

describe("the address of the engine on the command line of a provider", () => {
  const address = "127.0.0.1:4711";

  it.each<[string, string[], string | undefined]>([
    ["stands alone", [address], address],
    ["stands after --tracing and its value", ["--tracing", "file:/tmp/trace", address], address],
    ["is absent without arguments", [], undefined],
  ])("%s", (_title, args, found) => {
    expect(engineAddressIn(args)).toBe(found);
  });
});
