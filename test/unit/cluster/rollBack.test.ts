import { InterruptedError } from "../../../provider/errors";
import type { Properties } from "../../../provider/core";
import { closeAll, failureOf, openBench, settle, writes, type Bench } from "./harness";
import { canary, checked } from "./inputs";
import { change, expectAtGoal, failingChange, patch, redeploy, refresh, toDo, warnings } from "./powerHarness";

afterEach(closeAll);

const good: Properties = { ...checked, container: "acme/model:1", desiredStatus: "running", onFailedUpdate: "rollBack" };
const bad: Properties = { ...good, container: "acme/model:2" };
const broken = { kind: "fail" as const, message: "CUDA out of memory", container: "acme/model:2", times: 9 };

it("x", async () => {
  const bench = await openBench({ faults: [broken] });
  const made = await settle(bench, good);
  const failed = await failingChange(bench, made, bad);
  console.log(failed.text, JSON.stringify(failed.state, null, 1), writes(bench.simulator), bench.said.join("\n"));
  const again = await bench.run(failureOf(bench.cluster.update(bench.ctx(), failed.id, failed.state, bad)));
  console.log(again.message, toDo(bench, failed, bad));
});
