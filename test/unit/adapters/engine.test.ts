import { engineAddressIn } from "../../../provider/adapters/engine";

describe("the address of the engine on the command line of a provider", () => {
  const address = "127.0.0.1:4711";

  it.each<[string, string[], string | undefined]>([
    ["alone", [address], address],
    ["after --tracing and its value", ["--tracing", "file:/tmp/trace", address], address],
    ["after flags of the log", ["--logtostderr", "-v=9", address], address],
    ["without arguments", [], undefined],
    ["without an address, with flags", ["--logtostderr"], undefined],
  ])("%s", (_title, args, found) => {
    expect(engineAddressIn(args)).toBe(found);
  });
});
