import type { ClusterRecord } from "../api/records";
import type { CheckedInputs, ClusterState, Echo } from "./fields";

/**
 * What the service shows of the inputs, compared with what was asked. Services show things in their own form (a default
 * registry, masked values, variables of their own): what it shows right after a change was applied is its form of exactly
 * that; what it shows later, and did not show then, is drift.
 */

const words = ["name", "gpuType", "container"] as const;

type Env = Readonly<Record<string, string>>;

/** Remembers where the service's form differs. An empty echo means: learned, and nothing differs. */
export function learnEcho(inputs: CheckedInputs, record: ClusterRecord): Echo {
  const differing = words.filter((word) => record[word] !== undefined && record[word] !== inputs[word]);
  const env = record.env ? differingNames(inputs.env ?? {}, record.env) : [];
  return { ...Object.fromEntries(differing.map((word) => [word, record[word]])), ...(env.length > 0 ? { env } : {}) };
}

function differingNames(asked: Env, shown: Env): string[] {
  const names = new Set([...Object.keys(asked), ...Object.keys(shown)]);
  return [...names].filter((name) => asked[name] !== shown[name]).sort();
}

/** The paths in an echo, for people: `container, env.TOKEN`. Empty where nothing differs. */
export function pathsOf({ env = [], ...others }: Echo): string {
  return [...Object.keys(others), ...env.map((name) => `env.${name}`)].join(", ");
}

/** The inputs as the service now shows them. What it does not echo, or echoes as it always did, stays as last applied. */
export function withDrift(state: ClusterState, record: ClusterRecord): ClusterState {
  const replicas = record.replicas ?? state.replicas;
  // What the service shows may be what it was told and not what runs: the update that goes on needs to know what runs.
  if (state.__unfinished) return { ...state, replicas };
  const { __echo: echo = {} } = state;
  const drifted = words.filter((word) => record[word] !== undefined && record[word] !== echo[word]);
  return {
    ...state,
    ...Object.fromEntries(drifted.map((word) => [word, record[word]])),
    replicas,
    ...(record.env ? driftedEnv(state.env, record.env, new Set(echo.env)) : {}),
  };
}

function driftedEnv(applied: Env | undefined, shown: Env, ignored: ReadonlySet<string>): { env?: Env } {
  const kept = Object.entries(applied ?? {}).filter(([name]) => ignored.has(name));
  const seen = Object.entries(shown).filter(([name]) => !ignored.has(name));
  const env = Object.fromEntries([...kept, ...seen]);
  return applied || seen.length > 0 ? { env } : {};
}
