import type { Dialect, Fault } from "../../../../simulator";
import { type BenchOptions, bareStatus, closeAll, rewriting, writes } from "../harness";
import { failingChange, patch, redeploy, running, warnings } from "../powerHarness";
import { bad, broken, openGood, sick } from "./rollBackHarness";

afterEach(closeAll);

/** A service that starts the containers of an update in the same replicas. */
const sameReplicas: NonNullable<BenchOptions["wire"]> = (real) => async (request) => {
  const answer = await real(request);
  return {
    ...answer,
    body: answer.body.replaceAll(/rep_\w+-\d+-(\d+)/g, (_id, serial) => `rep_${Number(serial) % 2}`),
  };
};

/** A service that shows a replica only after it is placed. */
const placed = rewriting(/\/status$/, ({ replicas, ...others }) => ({
  ...others,
  replicas: [replicas].flat().filter((replica) => Object(replica)["status"] !== "pending"),
}));

const forms: Readonly<Record<string, BenchOptions>> = {
  "new replicas": {},
  "the same replicas": { wire: sameReplicas },
  "the same replicas, and no state word beside them": {
    wire: (real, clock) => bareStatus(sameReplicas(real, clock), clock),
  },
  "a count of replicas": { dialect: { replicasForm: "counts" } },
  "a count of replicas alone": { wire: bareStatus, dialect: { replicasForm: "counts" } },
  "replicas once they are placed": { wire: placed },
};
const faults: Readonly<Record<string, Fault>> = { fails: broken, "stays sick": sick };

const rows = Object.entries(forms).flatMap(([form, options]) =>
  Object.entries(faults).flatMap(([end, fault]) =>
    [true, false].map((rollsOut) => ({ form, end, by: rollsOut ? "itself" : "a redeploy", rollsOut, options, fault })),
  ),
);

describe("where a service rolls updates out", () => {
  it.each(rows)("by $by and shows $form, a cluster that $end is rolled back by the same requests", async (row) => {
    const { options, rollsOut, fault } = row;
    const dialect: Partial<Dialect> = { ...(options.dialect as Partial<Dialect>), updateRollsOut: rollsOut };
    const { bench, made } = await openGood({ ...options, dialect, faults: [fault], provisioningMs: 60_000 });
    const failed = await failingChange(bench, made, bad);
    const one = rollsOut ? [patch] : [patch, redeploy];
    expect(writes(bench.simulator)).toEqual([...one, ...one]);
    expect(warnings(bench).filter((text) => text.includes("no poll showed"))).toEqual([]);
    expect(failed.text).toContain("Rolled back: 2/2 replicas healthy with acme/model:1");
    expect(failed.state).toMatchObject({ container: "acme/model:1", settled: true, readyReplicas: 2 });
    expect(running(bench, made)).toMatchObject({ status: "running", generation: 3 });
    expect(bench.simulator.cluster(made.id)?.deployed.container).toBe("acme/model:1");
  });
});
