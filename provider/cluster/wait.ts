import { abortable, until } from "../clock";
import { ClusterFailedError, RequestError, TimeoutError } from "../errors";
import { type Attributes, traced } from "../trace";
import {
  type Goal,
  goalOf,
  judgeReady,
  judgeShown,
  noHistory,
  type Observation,
  type PollHistory,
  type Verdict,
} from "./conditions";
import { findCluster } from "./lookup";
import type { Operation } from "./operation";
import type { FinalVerdict, PollOptions } from "./poller";
import { addressOf, answerOf, judgeProbe, type Probe, type ProbeResult, probeOf, wantedOf } from "./probe";
import { afterRollout, leftOut, type Rollout } from "./rollout";
import type { Service } from "./service";
import type { CheckedInputs } from "./stateFields";

/** The cluster of an operation, for a span. */
export function aboutOf({ id, title }: Operation): Attributes {
  return { "gpucluster.cluster.id": id, "gpucluster.subject": title };
}

/** Polls in a span of its own. */
export function pollTraced({ tracer, poller }: Service, name: string, options: PollOptions): Promise<FinalVerdict> {
  return traced(tracer, name, aboutOf(options.operation), async (span) => {
    const verdict = await poller.poll(options);
    if (verdict.kind === "failed") span.end({ type: verdict.kind });
    return verdict;
  });
}

/** Waits until the judge is satisfied. `operation.observed` holds the last observation, also if the wait fails. */
export async function waitUntil(
  service: Service,
  operation: Operation,
  judge: (observation: Observation, past: PollHistory) => Verdict,
): Promise<void> {
  const verdict = await pollTraced(service, "wait for replicas", { operation, judge });
  const { kind, story } = verdict;
  if (kind === "gone") {
    throw new ClusterFailedError("it disappeared from the service during the wait", { facts: story });
  }
  if (kind === "failed") throw new ClusterFailedError(verdict.summary, { facts: [...story, ...verdict.reasons] });
}

/**
 * For `skipAwait`: waits only until the service shows the cluster. Reads may lag behind a creation. Without this wait,
 * a later read could take the cluster for gone, and the observed form of the inputs would be unknown.
 */
export async function waitUntilShown(service: Service, operation: Operation): Promise<void> {
  if (!operation.observed.record) await waitUntil(service, operation, judgeShown);
  operation.status("accepted; the provider does not wait");
}

/**
 * Waits until the cluster is as healthy as the inputs request; after a roll-out, with renewed replicas. Then the endpoint is
 * probed, if the inputs ask for that.
 */
export async function waitUntilReady(
  service: Service,
  operation: Operation,
  inputs: CheckedInputs,
  rollout?: Rollout,
): Promise<void> {
  if (inputs.skipAwait) {
    await waitUntilShown(service, operation);
    const { replicas } = inputs;
    const unawaited = leftOut(service, operation.before.__unawaited, { rollout, replicas });
    return operation.observe({ ...operation.observed, unawaited });
  }
  await service.poller.totals.during(operation, inputs, () => waitUntilGoal(service, operation, inputs, rollout));
}

async function waitUntilGoal(
  service: Service,
  operation: Operation,
  inputs: CheckedInputs,
  rollout: Rollout | undefined,
): Promise<void> {
  const goalNow = ({ record }: Observation) => goalOf(inputs, record?.replicas);
  const isReady = (observation: Observation, past: PollHistory) => judgeReady(observation, past, goalNow(observation));
  await waitUntil(service, operation, rollout ? afterRollout(isReady, rollout, goalNow, service.clock) : isReady);
  // Only replicas that were listed before the roll-out can show a restart; a status word or a count cannot.
  const { replicas = [], isCounted = operation.observed.status?.isCounted } = rollout?.before ?? {};
  if (replicas.length > 0 && !isCounted && rollout?.seen === false)
    operation.warn("no poll showed a replica that restarts");
  const goal = goalNow(operation.observed);
  const health = goal.healthCheck === "list" ? "running" : `${goal.enough}/${goal.replicas} replicas healthy`;
  operation.status(health);
  const probe = probeOf(inputs);
  if (probe) await waitUntilAnswered(service, operation, probe, { goal, health });
}

/** How long the record of a cluster is good enough while its endpoint is probed. */
const recordAgeMs = 30_000;

/** Probes the endpoint until it answers as the inputs request. */
async function waitUntilAnswered(
  service: Service,
  operation: Operation,
  probe: Probe,
  { goal, health }: { readonly goal: Goal; readonly health: string },
): Promise<void> {
  const { clock } = service;
  const report = service.poller.report(operation);
  let successes = 0;
  for (let readMs = clock.now(); ; ) {
    const startMs = clock.now();
    const verdict = judgeProbe(await probeTraced(service, operation, probe), successes, probe);
    successes = verdict.successes;
    const summary = `${health}, ${verdict.summary}`;
    if (verdict.isReady) return operation.status(summary);
    report.observed(summary, operation.observed);
    if (operation.leftMs() === 0) throw report.timeout(wantedOf(probe));
    await operation.pause(startMs + probe.periodMs - clock.now());
    if (operation.observed.record?.endpoint && clock.now() - readMs < recordAgeMs) continue;
    readMs = clock.now();
    await readAgain(service, operation, goal);
  }
}

/** One probe in a span of its own. Only the method and the host show: the path may be a secret of the program. */
function probeTraced(service: Service, operation: Operation, probe: Probe): Promise<ProbeResult> {
  const url = addressOf(operation.observed.record?.endpoint, probe);
  const host = typeof url === "string" ? undefined : url.hostname;
  const asked = { "http.request.method": probe.method, "server.address": host };
  return traced(service.tracer, "probe", { ...aboutOf(operation), ...asked }, async (span) => {
    const result = await probeOnce(service, operation, probe);
    span.set({ "http.response.status_code": result.status });
    if (result.status === undefined) span.end({ type: "no-answer", message: result.problem });
    return result;
  });
}

/** One probe, which ends with its own time limit, with that of the operation, or with an interrupt. */
async function probeOnce(service: Service, operation: Operation, probe: Probe): Promise<ProbeResult> {
  const url = addressOf(operation.observed.record?.endpoint, probe);
  if (typeof url === "string") return { problem: url };
  const late = new TimeoutError("no complete answer came in time");
  const deadlineMs = Math.min(service.clock.now() + probe.timeoutMs, operation.lookup().deadlineMs);
  try {
    return await until({ clock: service.clock, deadlineMs, late: () => late }, (limit) => {
      const signal = AbortSignal.any([limit, operation.signal]);
      return abortable(answerOf(service.ask, probe, url, signal), signal);
    });
  } catch (error) {
    if (error === late) return { problem: late.message };
    throw error;
  }
}

/**
 * Reads the record during a wait for an answer: the service may show the endpoint late, and a cluster that has failed never
 * answers. A failed read says nothing.
 */
async function readAgain(service: Service, operation: Operation, goal: Goal): Promise<void> {
  try {
    const request = { ...operation.lookup(), attempts: 1, urgency: "poll" as const };
    const record = await findCluster(service, operation.id, request);
    if (record) operation.observe({ ...operation.observed, record });
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
  }
  const { record } = operation.observed;
  const verdict = judgeReady({ record }, { ...noHistory, seen: true }, { ...goal, healthCheck: "list" });
  if (verdict.kind === "failed") throw new ClusterFailedError(verdict.summary);
}
