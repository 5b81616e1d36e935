import { configInputs } from "../../api/variant";
import { isWithinPaths } from "../diff/diff";
import type { Update } from "../diff/merge";
import type { Rollout } from "../health/health";
import { isDown } from "../health/health";
import { type CheckedInputs, type ClusterState, pick, type Unfinished } from "../schema/state";

export const triggers = ["restartTriggers", "redeployTriggers"] as const;
/** The inputs that an update brings to the cluster. All others are reached at once, because only this package reads them. */
const sentInputs = [...configInputs, "replicas", "desiredStatus"] as const;
type BroughtInput = (typeof sentInputs | typeof triggers)[number];

/**
 * What an update has done so far, which is what a failure puts into the state. A step writes "perhaps" before it sends
 * (`attempt`), a refusal takes that back, and an accepted request stays: `reach` makes it certain.
 */
export class Progress {
  inputs: CheckedInputs;
  /** What the service may have, or the replicas may run, besides `inputs`. */
  #paths: readonly string[];
  /** Whether anything was sent, or was waited for: if not, a failure changes nothing in the state. */
  #hasBegun: boolean;
  rollout: Rollout | undefined;
  /** The number of replicas that the service has; `undefined` if it is not known. */
  replicas: number | undefined;

  /** @param isCreation Whether a failure has to put the id of the cluster into the state in any case. */
  constructor(
    private readonly update: Update,
    private readonly isCreation: boolean,
  ) {
    const { inputs, state, record } = update;
    // A stopped cluster has no replicas that a trigger would have to restart.
    const names = isDown(record, state) ? sentInputs : [...sentInputs, ...triggers];
    this.inputs = { ...inputs, ...pick(state, names), replicas: state.replicas ?? inputs.replicas };
    this.#paths = state.__unfinished?.paths ?? [];
    this.#hasBegun = isCreation;
    const isKnown = !this.#paths.includes("replicas");
    this.replicas = record.replicas ?? (isKnown ? state.replicas : undefined);
  }

  /** Something is about to be sent. Returns what takes that back: the service has refused it. */
  attempt(...paths: readonly string[]): () => void {
    const before = { paths: this.#paths, hasBegun: this.#hasBegun };
    this.leave(...paths);
    return () => {
      this.#paths = before.paths;
      this.#hasBegun = before.hasBegun;
    };
  }

  /** The cluster gets these values later, or perhaps. */
  leave(...paths: readonly string[]): void {
    this.#paths = [...new Set([...this.#paths, ...paths])];
    this.#hasBegun = true;
  }

  reach(...names: readonly BroughtInput[]): void {
    this.inputs = { ...this.inputs, ...pick(this.update.inputs, names) };
    this.#paths = this.#paths.filter((path) => !isWithinPaths(path, names));
    this.#hasBegun = true;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get unfinished(): Unfinished {
    return { kind: this.isCreation ? "creation" : "update", paths: this.#paths };
  }

  /** The mark of a state after a success: what a stopped cluster gets at its next start. */
  get atStart(): ClusterState["__unfinished"] {
    return this.#paths.length > 0 ? { kind: "start", paths: this.#paths } : undefined;
  }
}
