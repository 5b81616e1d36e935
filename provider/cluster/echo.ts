import type { ClusterRecord } from "../api/records";
import type { CheckedInputs, ClusterState, Echo } from "./fields";

/**
 * What the service shows of the inputs, compared with what was asked. Services show things in their own form (a default
 * registry, masked values, variables of their own): what it shows right after a change was applied is its form of exactly
 * that; what it shows later, and was not shown then, is drift.
 */

const words = ["name", "gpuType", "container"] as const;

/** Remembers where the service's form differs; `undefined` where it does not. */
export function learnEcho(inputs: CheckedInputs, record: ClusterRecord): Echo | undefined {
  const differing = words.filter((word) => record[word] !== undefined && record[word] !== inputs[word]);
  const env = record.env ? differingNames(inputs.env ?? {}, record.env) : [];
  if (differing.length + env.length === 0) return undefined;
  return { ...Object.fromEntries(differing.map((word) => [word, record[word]])), ...(env.length > 0 ? { env } : {}) };
}

type Env = Readonly<Record<string, string>>;

function differingNames(asked: Env, shown: Env): string[] {
  const names = new Set([...Object.keys(asked), ...Object.keys(shown)]);
  return [...names].filter((name) => asked[name] !== shown[name]).sort();
}

/** The inputs as the service now shows them. What it does not echo, or echoes as it always did, stays as last applied. */
export function withDrift(state: ClusterState, record: ClusterRecord): ClusterState {
  const { __echo: echo = {} } = state;
  const drifted = words.filter((word) => record[word] !== undefined && record[word] !== echo[word]);
  return {
    ...state,
    ...Object.fromEntries(drifted.map((word) => [word, record[word]])),
    replicas: record.replicas ?? state.replicas,
    ...(record.env ? driftedEnv(state.env, record.env, new Set(echo.env)) : {}),
  };
}

function driftedEnv(applied: Env | undefined, shown: Env, ignored: ReadonlySet<string>): { env?: Env } {
  const kept = Object.entries(applied ?? {}).filter(([name]) => ignored.has(name));
  const seen = Object.entries(shown).filter(([name]) => !ignored.has(name));
  const env = Object.fromEntries([...kept, ...seen]);
  return applied || seen.length > 0 ? { env } : {};
}
