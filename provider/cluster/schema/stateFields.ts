import type { ConfigInput } from "../../api/variant";
import { type ClusterInputs, outputNames, type ServiceOutputs, type TextName } from "./fields";

/** Inputs that only this package sets. */
export type HiddenInputs = {
  /** The resource's URN, which the engine does not pass on. */
  readonly __urn?: string;
  /** Pulumi's `customTimeouts`, which the engine does not pass on. */
  readonly __timeouts?: Readonly<Record<string, string>>;
  /**
   * Paths of secret values: those that the program marks (`env.MODEL`), its `additionalSecretOutputs`, and unmanaged
   * variables. The engine passes no marks on.
   */
  readonly __secrets?: readonly string[] | undefined;
  /**
   * The option `deleteBeforeReplace`: whether a replacement deletes the old cluster first; absent if the program does
   * not set it.
   */
  readonly __deleteBeforeReplace?: boolean;
  /** True if the name is generated. */
  readonly __generatedName?: boolean;
};

/** Inputs after a check: with defaults, a name, one GPU type, and the outputs that are already certain. */
export type CheckedInputs = Omit<ClusterInputs, "name" | "replicas"> &
  HiddenInputs & {
    readonly name: string;
    readonly replicas: number;
    readonly endpoint?: string;
    readonly createdAt?: string;
    readonly hourlyCost?: number;
  };

/** The state of a cluster between two runs. */
export type ClusterState = CheckedInputs &
  Partial<ServiceOutputs> & {
    /** Whether the cluster has reached everything that the inputs request; if not, the next `pulumi up` continues with it. */
    readonly settled?: boolean;
    /** Paths of inputs (`container`, `env`, `env.TOKEN`) that the service does not report. */
    readonly unverifiedInputs?: readonly string[];
    /** The service and key that last saw the cluster: 8 hex digits of a hash. A 404 to another key proves nothing. */
    readonly __seenBy?: string;
    /** Empty: what was observed after the last apply equals the request. Absent: nothing was applied yet. */
    readonly __observed?: ObservedInputs;
    /**
     * Present while an operation has not reached its end. Only an update removes it, whatever a refresh observes.
     * `rollout`: the configuration in the service may not be the one that the replicas run.
     */
    readonly __unfinished?: true | "rollout";
    /** When this package created the cluster, ISO 8601, by its own clock: for a while after that, a 404 proves nothing. */
    readonly __createdAt?: string;
    /** When the cluster was adopted after an interrupted run: it tells this state from an earlier one of the same id. */
    readonly __resumedAt?: string;
    /** The inputs that the service has refused to change in place: a change of one replaces the cluster. */
    readonly __fixed?: readonly ConfigInput[];
    /** Names of variables, never values, that an unfinished update may have sent. */
    readonly __sent?: readonly string[];
  };

/** The properties of a state, without hidden names, that are not inputs. */
export const stateOutputNames = [...outputNames, "settled", "unverifiedInputs"] as const;

/** Values that differed from the request right after it was applied, such as normalized ones: they are not drift. */
export interface ObservedInputs extends Readonly<Partial<Record<TextName, string>>> {
  /** Names of variables that the service adds, hides or changes; never values. They are not compared. */
  readonly env?: readonly string[];
  /** Names of extra fields that the service changes. They are not compared. */
  readonly extraFields?: readonly string[];
}
