/** The laws of an update: each is a pure function over a recorded life. Its exemptions say what the service hides from everybody. */

import type { Step } from "./engine";
import { differences, flatInputs, type Lived } from "./lives";
import type { Flat, Truth } from "./service";

export type Law = "L1" | "L2" | "L3" | "L4" | "L5" | "L6" | "L7" | "L8";

export interface Violation {
  readonly law: Law;
  /** The cause in words without values, so that violations of one kind are equal. */
  readonly text: string;
}

type Judge = (lived: Lived) => Iterable<string>;

const isConfig = (path: string) => /^(container|registryCredentialId|env|extraFields)/.test(path);
const isRolled = (path: string) => /^(container|registryCredentialId|env)/.test(path);
const isNamed = (path: string, named: Iterable<string>) =>
  [...named].some((name) => path === name || path.startsWith(`${name}.`));
const isUp = ({ kind }: Step) => kind === "up";
const isMade = ({ before, after }: Step) => after.id !== undefined && before.id !== after.id;

/** What a stopped cluster gets at its next start, whoever starts it. */
function leftBy({ history }: Lived["life"]): string[] {
  return history === "pending" ? ["env.MODEL"] : [];
}

/** The paths that a step may change: those of its diff, and those of the failed ones before it. */
function* withNamed({ steps, life }: Lived): Iterable<readonly [Step, ReadonlySet<string>]> {
  let open = leftBy(life);
  for (const step of steps.filter(isUp)) {
    const named = Object.keys(step.diff);
    yield [step, new Set([...open, ...named])];
    if (step.outcome === "failed" || isDeferred(step)) open = [...open, ...named];
    else if (!step.after.isStopped) open = [];
  }
}

/** Whether a step can have changed the cluster: a request that is no read was not plainly refused. */
function mayHaveChanged({ sent }: Step): boolean {
  return sent.some(({ isWrite, status }) => isWrite && (status === "lost" || status < 400 || status >= 500));
}

/** A stopped cluster whose service refuses the change gets it at its next start: a warning says so. */
function isDeferred({ messages }: Step): boolean {
  return /takes effect at the next start/.test(messages.join("\n"));
}

function isRolledBack({ error }: Step): boolean {
  return /Rolled back/.test(error);
}

/** An end that the documents promise: the service masks another user's variable, so that `env` cannot be sent. */
function isRefusedMasked({ error }: Step): boolean {
  return /masks/.test(error);
}

/**
 * A body with `env` has all of it. What the service hides is not known then: a variable of another user where it shows no env, and
 * a value that another user has changed where it masks them.
 */
function isHidden(path: string, named: Iterable<string>, { dialect, theirs, first }: Lived): boolean {
  if (!path.startsWith("env.") || dialect.shows === "plain") return false;
  const isSent = [...named].some((each) => each.startsWith("env") || (dialect.method !== "PATCH" && isConfig(each)));
  const wasThere = first.stored[path] !== undefined;
  return isSent && (dialect.shows === "hidden" || (wasThere && path in theirs));
}

/** What another user set and no diff names is as they left it, after every single `up`. */
function* theirsStays(lived: Lived): Iterable<string> {
  for (const [step, named] of withNamed(lived)) {
    if (step.before.id !== step.after.id) continue;
    for (const path of Object.keys(differences(step.before.stored, step.after.stored)))
      if (isConfig(path) && !isNamed(path, named) && !isHidden(path, named, lived))
        yield `${path} changes, and no diff named it`;
  }
}

/** What the cluster has to be in the end. */
function expected(lived: Lived): { want: Flat; open: ReadonlySet<string> } {
  const { first, theirs, steps, last, life } = lived;
  const named = new Set<string>();
  const tried = new Set<string>();
  for (const step of steps.filter(isUp)) {
    // The number of replicas of a stopped cluster is no drift: a start sets it.
    const started = step.before.isStopped && !step.after.isStopped ? ["replicas"] : [];
    const paths = isMade(step) ? Object.keys(theirs) : [...Object.keys(step.diff), ...started];
    for (const path of paths) (step.outcome === "failed" ? tried : named).add(path);
  }
  const program = flatInputs(last.inputs);
  // Variables that an adopted cluster had stay.
  const kept = Object.entries(first.stored).filter(([path]) => path === "env.LICENSE" && !steps.some(isMade));
  const own = { ...Object.fromEntries(kept), ...program };
  const others = Object.entries(theirs).filter(([path]) => !isNamed(path, named));
  const want = Object.fromEntries(
    Object.entries({ ...own, ...Object.fromEntries(others) }).filter(([, value]) => value !== undefined),
  );
  // What another user set, and a failed update named or the service hides, can be either.
  const all = [...named, ...tried, ...leftBy(life)];
  const mayBeEither = (path: string) => isNamed(path, tried) || isHidden(path, all, lived);
  const open = new Set([...others, ...kept].map(([path]) => path).filter(mayBeEither));
  if (steps.at(-1)?.after.isStopped && steps.some(isDeferred)) for (const path of all.filter(isConfig)) open.add(path);
  return { want, open };
}

function wrongPaths(want: Flat, truth: Flat, open: ReadonlySet<string>): string[] {
  return Object.keys(differences(want, truth)).filter(
    (path) => !open.has(path) && !/^(replicas|desiredStatus)$/.test(path),
  );
}

function finalTruth({ steps }: Lived): Truth | undefined {
  return steps.at(-1)?.after;
}

/** In the end the replicas run (not only store) what the program says. */
function* programRuns(lived: Lived): Iterable<string> {
  const { steps, main, life } = lived;
  const end = steps.at(-1);
  const truth = finalTruth(lived);
  if (!end || !truth) return;
  if (isRefusedMasked(end) || isGone(end)) return;
  if (end.outcome !== "same") return yield `it does not settle: ${end.outcome} ${kindOfError(end)}`;
  if (life.follow.endsWith("evert") && main.outcome === "failed") return;
  yield* endProblems(lived, truth);
}

/** A replacement that failed after its deletion: the error says how to go on. */
function isGone({ after }: Step): boolean {
  return after.id === undefined;
}

function* endProblems(lived: Lived, truth: Truth): Iterable<string> {
  const { want, open } = expected(lived);
  const all = lived.steps.flatMap(({ messages }) => messages).join("\n");
  for (const path of wrongPaths(want, truth.stored, open))
    if (!isWarned(path, all)) yield `${path} is not stored in the end`;
  const wrong = new Set(truth.running.flatMap((replica) => wrongPaths(want, replica, open)));
  for (const path of wrong)
    if (!path.startsWith("extraFields") && !isWarned(path, all)) yield `${path} does not run in the end`;
  // A stopped cluster gets its number of replicas at the next start.
  for (const path of truth.isStopped ? ["desiredStatus"] : ["replicas", "desiredStatus"])
    if (want[path] !== truth.stored[path] && !open.has(path)) yield `${path} is wrong in the end`;
}

/** A service that shows no env, and refuses nulls, cannot be asked to remove a variable: a warning says so. */
function isWarned(path: string, messages: string): boolean {
  return new RegExp(`may keep.*${path.replace(".", "\\.")}|still shows.*${path.replace(".", "\\.")}`).test(messages);
}

function kindOfError({ error }: Step): string {
  return error
    .replace(/cl_\d+/g, "ID")
    .replace(/`env\.\w+`((, | and )`env\.\w+`)*/g, "VARIABLES")
    .replace(/\d+m\d+s|\d+ ?[ms]\b/g, "TIME")
    .slice(0, 160);
}

/** `settled` is true of the service, and so is what a refresh shows. */
function* settledIsTrue(lived: Lived): Iterable<string> {
  for (const { outcome, state, after, title, sent } of lived.steps.filter(isUp)) {
    // A change of settings sends nothing, so it does not look at the cluster.
    if (outcome === "failed" || outcome === "same" || !sent.some(({ kind }) => kind === "get")) continue;
    if (state["settled"] !== true) yield "a success is not settled";
    else if (!after.isHealthy)
      yield `settled, and not all replicas are healthy (${title === "calm" ? "calm" : "first"})`;
  }
  yield* refreshIsTrue(lived);
}

function* refreshIsTrue({ dialect, last, steps, life }: Lived): Iterable<string> {
  const { inputs, diff, truth } = last;
  if (steps.at(-1)?.outcome !== "same" || truth.id === undefined) return;
  const program = flatInputs(inputs);
  const deferred = steps.filter(isDeferred).flatMap((step) => Object.keys(step.diff));
  const isDue = (path: string) => truth.isStopped && isNamed(path, deferred);
  const differing = Object.keys(differences(program, truth.stored)).filter(
    (path) => isVisible(path, program, truth.stored) && !isDue(path),
  );
  for (const path of differing) if (!isNamed(path, diff)) yield `a refresh does not show that ${path} differs`;
  for (const path of diff) {
    const isTrue = differing.some((each) => isNamed(each, [path]));
    if (!isTrue && path !== "settled" && path !== "hourlyCost") yield `a refresh shows ${path}, which does not differ`;
    if (path === "settled" && truth.isHealthy) yield "a refresh shows a healthy cluster as unsettled";
  }

  function isVisible(path: string, wanted: Flat, stored: Flat): boolean {
    // What an adopted cluster had, and an input that is ignored, are no drift.
    if (path === "env.LICENSE") return false;
    if (life.ignore !== "all" && path.startsWith(life.ignore.slice("ignore".length).toLowerCase())) return false;
    if (path === "replicas" && truth.isStopped) return false;
    // A field that the program does not set is not compared.
    if (path.startsWith("extraFields") && wanted[path] === undefined) return false;
    if (path === "registryCredentialId" && stored[path] === undefined) return false;
    if (!path.startsWith("env.")) return true;
    if (dialect.shows === "hidden") return false;
    return dialect.shows === "plain" || (wanted[path] === undefined) !== (stored[path] === undefined);
  }
}

/** No needless restart: at most one rollout for a change, none for a run that had nothing to change. */
function* noNeedlessRestart(lived: Lived): Iterable<string> {
  let isUncertain = false;
  for (const [step, named] of withNamed(lived)) {
    const { rollouts, before, after, diff, outcome } = step;
    const allowed = isRolledBack(step) || /rollback/i.test(step.error) ? 2 : 1;
    if (rollouts.length > allowed) yield `${rollouts.length} rollouts in one up: ${rollouts.join(", ")}`;
    const isAsked = [...named].some((path) => isRolled(path) || /Triggers|desiredStatus/.test(path));
    if (rollouts.length > 0 && before.isHealthy && !before.isStopped && !isMade(step)) {
      const changed = Object.keys(differences(before.stored, after.stored)).filter(isRolled);
      const isOfHidden = changed.some((path) => isHidden(path, named, lived));
      if (!isAsked && !isOfHidden) yield `a rollout that no diff asks for: ${rollouts.join(", ")}`;
      const isOwn = Object.keys(diff).some((path) => isRolled(path) || /Triggers|desiredStatus/.test(path));
      const isSame = Object.keys(differences(before.running[0] ?? {}, after.running[0] ?? {})).length === 0;
      // What runs after a failed update is not visible, so the next one may restart it once.
      if (isAsked && !isOwn && isSame && !isUncertain)
        yield `a rollout although nothing was sent before: ${rollouts.join(", ")}`;
    }
    isUncertain = outcome === "failed" ? isUncertain || mayHaveChanged(step) : outcome === "same" && isUncertain;
  }
}

/** The preview announces each effect. */
function* previewAnnounces(lived: Lived): Iterable<string> {
  for (const [step, named] of withNamed(lived)) {
    const { preview, before, after, outcome, previewMessages } = step;
    const isReplaced = before.id !== undefined && before.id !== after.id;
    const isAnnounced = Object.values(preview).some(({ replace }) => replace);
    if (isReplaced && !isAnnounced) yield "a replacement that the preview does not show";
    if (isReplaced && previewMessages.some((text) => /in place/.test(text) && !/cannot do in place/.test(text)))
      yield "a replacement where the preview says: in place";
    if (isReplaced || isMade(step) || outcome === "same") continue;
    for (const path of ["replicas", "desiredStatus"]) {
      // The number of replicas of a stopped cluster is no drift: a start sets it.
      if (path === "replicas" && before.isStopped) continue;
      if (before.stored[path] !== after.stored[path] && !isNamed(path, named))
        yield `${path} changes, and no diff named it`;
    }
  }
}

/** Every failure keeps id and state; one cluster at any time; no write after the end. */
function* nothingIsLost({ steps, maxLiving, strays }: Lived): Iterable<string> {
  if (maxLiving > 1) yield "two clusters at one time";
  if (strays > 0) yield "a write after the end";
  for (const { outcome, after, before, state, diff, sent } of steps) {
    const isReplacement = Object.values(diff).some(({ replace }) => replace);
    if (!isReplacement && before.id !== undefined && before.id !== after.id) yield "the cluster is another one";
    if (!isReplacement && sent.some(({ kind }) => kind === "delete")) yield "a deletion that no diff shows";
    if (after.id !== undefined && state["name"] === undefined) yield `the state is lost (${outcome})`;
  }
}

/** The error text is true. */
function* errorsAreTrue(lived: Lived): Iterable<string> {
  const { steps, main, life } = lived;
  for (const [index, step] of steps.entries()) {
    const { outcome, error, isInitFailed, before, after, fault, messages, isStruck } = step;
    if (outcome !== "failed") continue;
    if (!/\S/.test(error)) yield "a failure without words";
    const isChanged =
      JSON.stringify([before.stored, before.isStopped]) !== JSON.stringify([after.stored, after.isStopped]);
    if (isChanged && !isInitFailed && before.id === after.id)
      yield `"was not changed", and it was: ${kindOfError(step)}`;
    if (/[Nn]othing (was|is) (sent|changed)/.test(error) && mayHaveChanged(step))
      yield `"nothing was sent", and something was`;
    const next = steps[index + 1];
    if (step === main && life.follow === "again" && /again to continue/.test(error) && next?.outcome === "failed")
      yield `"run it again to continue" does not help: ${kindOfError(next)}`;
    const isConfigChanged = Object.keys(differences(before.stored, after.stored)).some(
      (path) => isRolled(path) && isNamed(path, Object.keys(step.diff)),
    );
    const said = [error, ...messages].join("\n");
    if (
      fault?.inputs &&
      isStruck &&
      isConfigChanged &&
      before.isHealthy &&
      !before.isStopped &&
      !/roll(ed)? ?(it )?back/i.test(said)
    )
      yield "no rollback, and not a word about it";
    if (isRolledBack(step)) {
      const wrong = Object.keys(differences(before.stored, after.stored)).filter(
        (path) => (isRolled(path) && !isHidden(path, Object.keys(step.diff), lived)) || path === "replicas",
      );
      for (const path of wrong) yield `"Rolled back", and ${path} is not as before`;
    }
  }
}

/** After a failed `up` and a reverted program the old configuration runs. */
function* revertsReturn(lived: Lived): Iterable<string> {
  const { life, main, steps } = lived;
  const end = steps.at(-1);
  if (!life.follow.endsWith("evert") || main.outcome !== "failed" || end?.outcome !== "same" || isGone(end)) return;
  const truth = finalTruth(lived);
  if (truth) yield* endProblems(lived, truth);
}

const laws: Record<Law, Judge> = {
  L1: theirsStays,
  L2: programRuns,
  L3: settledIsTrue,
  L4: noNeedlessRestart,
  L5: previewAnnounces,
  L6: nothingIsLost,
  L7: errorsAreTrue,
  L8: revertsReturn,
};

export function judge(lived: Lived): Violation[] {
  const all = Object.entries(laws).flatMap(([law, judged]) =>
    [...new Set(judged(lived))].map((text) => ({ law: law as Law, text })),
  );
  return all;
}
