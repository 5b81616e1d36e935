import { Cluster } from "../../../sdk";
import { Cluster as NativeCluster } from "../../../sdk/native";
import { clusterArgs, stacksFormattedBy } from "./debugTraces";

// Somebody looks for promises that never end.
process.env["PULUMI_DEBUG_PROMISE_LEAKS"] = "1";

test.each([
  ["dynamic", Cluster],
  ["native", NativeCluster],
])(
  "with PULUMI_DEBUG_PROMISE_LEAKS, the SDK takes the call stack of each promise of a %s cluster",
  async (_adapter, Declared) => {
    const names = await stacksFormattedBy(() => new Declared("web", clusterArgs));
    // Four for each output.
    expect(names.filter((name) => name === "debuggablePromise").length).toBeGreaterThan(60);
  },
);
