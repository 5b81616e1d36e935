import { statusOfWord } from "../../api/states";
import { abortable, until } from "../../base/clock";
import { ClusterFailedError, GpuClusterError, RequestError, TimeoutError } from "../../base/errors";
import { countHealthy, type Found, type Goal, goalOf, judgeReady, type Verdict } from "../compare/health";
import { afterRollout, type Rollout } from "../compare/rollout";
import type { CheckedInputs } from "../model/stateFields";
import { findCluster } from "../shared/lookup";
import type { Operation } from "../shared/operation";
import type { Service } from "../shared/service";
import { addressOf, answerOf, judgeProbe, type Probe, type ProbeResult, probeOf, wantedOf } from "./probe";

const doctor = "`npx pulumi-gpucluster doctor` shows what is understood";

/**
 * Waits until the judge is satisfied. `operation.observed` holds the last observation, also if the wait fails.
 * @returns What the service shows that nobody knows, if the cluster counts as ready in spite of it.
 */
export async function waitUntil(
  service: Service,
  operation: Operation,
  judge: (found: Found) => Verdict,
): Promise<string | undefined> {
  const verdict = await service.poller.poll({ operation, judge });
  const { kind, story } = verdict;
  if (kind === "ready") return verdict.unknown;
  if (kind === "gone") {
    throw new ClusterFailedError("it disappeared from the service during the wait", { facts: story });
  }
  if (kind === "failed") throw new ClusterFailedError(verdict.summary, { facts: [...story, ...verdict.reasons] });
  // No verdict about the cluster, so that no update is rolled back for it.
  const ways = "with `readinessProbe` its endpoint decides, with `skipAwait` nothing is waited for";
  throw new GpuClusterError(`the service shows ${verdict.unknown}, and nothing changes. ${doctor}; ${ways}`, {
    facts: story,
  });
}

/**
 * For `skipAwait`: waits only until the service shows the cluster. Reads may lag behind a creation. Without this wait,
 * a later read could take the cluster for gone, and the observed form of the inputs would be unknown.
 */
export async function waitUntilShown(service: Service, operation: Operation): Promise<void> {
  if (!operation.observed.record) await waitUntil(service, operation, () => ({ kind: "ready" }));
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
    return waitUntilShown(service, operation);
  }
  const goal = goalOf(inputs);
  const isReady = (found: Found) => judgeReady(found, goal);
  const judge = rollout ? afterRollout(isReady, rollout, goal, service.clock) : isReady;
  const unknown = await waitUntil(service, operation, judge);
  const probe = probeOf(inputs);
  if (unknown !== undefined) {
    const decides = probe ? "the answer of its endpoint decides" : "it counts as ready by everything else";
    operation.warnOnce(`the service shows ${unknown}: ${decides}. ${doctor}`);
  }
  // Only replicas that were listed before the roll-out can show a restart; a status word or a count cannot.
  const { replicas = [], isCounted = operation.observed.status?.isCounted } = rollout?.before ?? {};
  const isRenewed = operation.observed.status?.replicas.every(({ id }) => rollout?.renewed.has(id)) ?? false;
  if (replicas.length > 0 && !isCounted && rollout?.seen === false && !isRenewed)
    operation.warn("no poll showed a replica that restarts");
  const { status } = operation.observed;
  const isCountedReady = status !== undefined && countHealthy(status, goal.replicas) >= goal.enough;
  const health = isCountedReady ? `${goal.enough}/${goal.replicas} replicas healthy` : "no known health";
  operation.status(health);
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
    const verdict = judgeProbe(await probeOnce(service, operation, probe), successes, probe);
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
  // The replicas were healthy before the first probe: only the status word counts now.
  const verdict = record && judgeReady({ record, status: statusOfWord(record.status) }, goal);
  if (verdict?.kind === "failed") throw new ClusterFailedError(verdict.summary);
}
