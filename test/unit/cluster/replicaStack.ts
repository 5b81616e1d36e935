import type { Properties } from "../../../provider/core";
import type { Bench } from "./harness";

/** A stack with one cluster, as the engine treats it: it keeps the inputs of check beside the state. */
export class OneCluster {
  id = "";
  inputs: Properties | undefined;
  state: Properties = {};

  constructor(readonly bench: Bench) {}

  /** What the service bills. */
  get count(): number | undefined {
    return this.bench.simulator.cluster(this.id)?.replicas;
  }

  /** The inputs as check returns them; fails if check refuses them. */
  async check(program: Properties): Promise<Properties> {
    const { bench } = this;
    const { inputs, failures } = await bench.run(bench.cluster.check(bench.ctx(), program, this.inputs));
    if (failures.length > 0)
      throw new Error(failures.map(({ property, reason }) => `${property} ${reason}`).join("\n"));
    return inputs;
  }

  /** The paths that an update to this program would change. */
  async toDo(program: Properties): Promise<string[]> {
    return Object.keys(this.bench.cluster.diff(this.state, await this.check(program)).changes);
  }

  /** Creates the cluster, or updates it if anything differs. The record of requests then holds this run alone. */
  async up(program: Properties): Promise<void> {
    const { bench, id, state } = this;
    const inputs = await this.check(program);
    bench.simulator.requests.length = 0;
    if (id === "") Object.assign(this, await bench.run(bench.cluster.create(bench.ctx(), inputs)));
    else if (Object.keys(bench.cluster.diff(state, inputs, { id }).changes).length > 0)
      this.state = await bench.run(bench.cluster.update(bench.ctx(), id, state, inputs));
    this.inputs = inputs;
  }

  async refresh(): Promise<void> {
    const { bench, id, state } = this;
    const found = await bench.run(bench.cluster.read(bench.ctx(), id, state));
    if (!found) throw new Error(`${id} was not found`);
    Object.assign(this, found);
  }

  /** What somebody else makes of the number. */
  async scaleTo(replicas: number): Promise<void> {
    this.bench.simulator.change(this.id, { replicas });
    await this.bench.run(this.bench.clock.sleep(60_000));
  }

  /** The numbers of replicas in the changes that were requested since the last `up` began. */
  sentCounts(): unknown[] {
    return this.bench.simulator.requests.flatMap(({ method, body }) => {
      const { replicas, replicaCount = replicas } = Object(body);
      return method === "GET" || replicaCount === undefined ? [] : [Number(replicaCount)];
    });
  }
}
