/**
 * The lives of the small world: one value of each axis. A life is written as one line, `PATCH-keys-plain-own-auto|fresh|...`,
 * which is also how it is run again. `allLives` chooses them: every pair of the interesting axes, the rest by turns.
 */

import { type Properties, UNKNOWN } from "../../provider/contract";
import { Engine, type Fault, type Step } from "./engine";
import { type Dialect, type Flat, type OtherUser, prefixed, type Truth } from "./service";

export interface Life {
  readonly dialect: string;
  /** `pending`: stopped, with a change that its next start brings. */
  readonly history: (typeof histories)[number];
  readonly other: keyof typeof others;
  readonly refresh: "asIs" | "refreshed";
  readonly ignore: "all" | "ignoreEnv" | "ignoreReplicas" | "ignoreContainer";
  readonly change: keyof typeof changes;
  readonly fault: string;
  readonly follow: keyof typeof follows;
}

export interface Inputs extends Properties {
  readonly container: string;
  readonly replicas: number;
  readonly env: Readonly<Record<string, string>>;
}

const base: Inputs = {
  name: "web",
  gpuType: "h100",
  replicas: 2,
  container: "acme/m:1",
  env: { MODEL: "one", MODE: "m", OLD: "o" },
  extraFields: { port: 8080 },
  registryCredentialId: "cred-1",
};

function withEnv(inputs: Inputs, env: Readonly<Record<string, string>>, removed?: string): Inputs {
  const entries = Object.entries({ ...inputs.env, ...env }).filter(([name]) => name !== removed);
  return { ...inputs, env: Object.fromEntries(entries) };
}

/** How the cluster came about, and what it was before the change. */
const histories = ["fresh", "pending", "adopted", "imported"] as const;

/** What another user does before the change. */
const others = {
  nothing: () => undefined,
  adds: ({ config }: OtherUser) => Object.assign(config.env, { THEIRS: "t" }),
  changes: ({ config }: OtherUser) => Object.assign(config.env, { MODE: "theirs" }),
  removes: ({ config }: OtherUser) => delete config.env["MODE"],
  scales: (cluster: OtherUser) => Object.assign(cluster, { replicas: 5 }),
  image: ({ config }: OtherUser) => Object.assign(config, { container: "theirs:9" }),
  credential: ({ config }: OtherUser) => Object.assign(config, { registryCredentialId: "cred-theirs" }),
  extra: ({ extras }: OtherUser) => Object.assign(extras, { port: 7777 }),
  stops: (cluster: OtherUser) => Object.assign(cluster, { isStopped: true }),
  degrades: (cluster: OtherUser) => Object.assign(cluster, { sick: 1 }),
  breaks: (cluster: OtherUser) => Object.assign(cluster, { sick: 9 }),
} as const;

/** What the program changes. */
const changes = {
  none: (p: Inputs) => p,
  env: (p: Inputs) => withEnv(p, { MODEL: "two" }),
  envAdd: (p: Inputs) => withEnv(p, { NEW: "n" }),
  envRemove: (p: Inputs) => withEnv(p, {}, "OLD"),
  envBoth: (p: Inputs) => withEnv(p, { MODEL: "two" }, "OLD"),
  container: (p: Inputs) => ({ ...p, container: "acme/m:2" }),
  containerEnv: (p: Inputs) => withEnv({ ...p, container: "acme/m:2" }, { MODEL: "two" }),
  up: (p: Inputs) => ({ ...p, replicas: 3 }),
  down: (p: Inputs) => ({ ...p, replicas: 1 }),
  envUp: (p: Inputs) => withEnv({ ...p, replicas: 3 }, { MODEL: "two" }),
  containerDown: (p: Inputs) => ({ ...p, container: "acme/m:2", replicas: 1 }),
  extra: (p: Inputs) => ({ ...p, extraFields: { port: 9090 } }),
  extraEnv: (p: Inputs) => withEnv({ ...p, extraFields: { port: 9090 } }, { MODEL: "two" }),
  credential: (p: Inputs) => ({ ...p, registryCredentialId: "cred-2" }),
  noCredential: ({ registryCredentialId, ...p }: Inputs): Inputs => p as Inputs,
  power: (p: Inputs) => ({ ...p, desiredStatus: p["desiredStatus"] === "stopped" ? "running" : "stopped" }),
  powerEnv: (p: Inputs) => withEnv({ ...p, ...changes.power(p) }, { MODEL: "two" }),
  restart: (p: Inputs) => ({ ...p, restartTriggers: ["1"] }),
  redeploy: (p: Inputs) => ({ ...p, redeployTriggers: ["1"] }),
  // Values that the preview does not know.
  unknownNew: (p: Inputs) => withEnv(p, { MODEL: "two", DB: "db" }),
  unknownOld: (p: Inputs) => withEnv({ ...p, container: "acme/m:2" }, { MODE: "m" }),
} as const;

/** What the preview sees in their place. */
const previews: Partial<Record<keyof typeof changes, (p: Inputs) => Inputs>> = {
  unknownNew: (p) => withEnv(p, { DB: UNKNOWN }),
  unknownOld: (p) => withEnv(p, { MODE: UNKNOWN }),
};

/** What comes after the `up` with the fault. */
const follows = {
  again: ({ changed }: Programs) => changed,
  revert: ({ before }: Programs) => before,
  refreshAgain: ({ changed }: Programs) => changed,
  refreshRevert: ({ before }: Programs) => before,
  another: ({ changed }: Programs) => withEnv(changed, { OTHER: "x" }),
} as const;

interface Programs {
  readonly before: Inputs;
  readonly changed: Inputs;
}

const writes = ["update", "update2", "redeploy", "restart", "scale", "stop"] as const;
const writeFaults = ["400", "403", "409", "busy", "500", "502", "lostBefore", "lostAfter", "interrupt"] as const;
const otherFaults = [
  ...["503:get", "503:status", "503:late", "interrupt:get", "interrupt:status"],
  ...["interrupt1", "interrupt12", "slow", "sick", "sickBack", "sickUnread", "slowBack"],
];
const faultNames = ["none", ...writes.flatMap((at) => writeFaults.map((does) => `${does}:${at}`)), ...otherFaults];

/** The fault of a name: `403:update2` is a refusal of the second update request on. */
function faultOf(name: string): Fault | undefined {
  if (name === "none") return undefined;
  const inputs = { onFailedUpdate: "rollBack" };
  if (name === "sickBack") return { does: "sick", inputs };
  if (name === "sickUnread") return { does: "sick", at: "unread", inputs };
  if (name === "slowBack") return { does: "slow", inputs };
  const [does = "", at] = name.split(":");
  if (at === "update2") return { does, at: "update", nth: 2 };
  return at === undefined ? { does } : { does, at };
}

const dialects: readonly string[] = ["PATCH", "PUT", "POST", "none", "client"].flatMap((method) =>
  (method === "PATCH" || method === "POST" ? ["whole", "keys"] : ["whole"]).flatMap((env) =>
    ["plain", "masked", "hidden"].flatMap((shows) =>
      ["own", "injects"].flatMap((injects) =>
        (method === "none" || method === "client" ? ["auto"] : ["auto", "inPlace", "manual"]).map((rolls) =>
          [method, env, shows, injects, rolls].join("-"),
        ),
      ),
    ),
  ),
);

function dialectOf(name: string): Dialect {
  const [method, env, shows, injects, rolls] = name.split("-");
  return { method, env, shows, injects: injects === "injects", rolls } as Dialect;
}

/** The values of each axis; the first is the simplest one. */
export const axes = {
  dialect: dialects,
  history: histories,
  other: Object.keys(others),
  refresh: ["asIs", "refreshed"],
  ignore: ["all", "ignoreEnv", "ignoreReplicas", "ignoreContainer"],
  change: Object.keys(changes),
  fault: faultNames,
  follow: Object.keys(follows),
} as const satisfies Record<keyof Life, readonly string[]>;

const axisNames = Object.keys(axes) as (keyof Life)[];

export function lineOf(life: Life): string {
  return axisNames.map((name) => life[name]).join("|");
}

export function lifeOf(line: string): Life {
  const values = line.split("|");
  for (const [index, name] of axisNames.entries())
    if (!(axes[name] as readonly string[]).includes(values[index] ?? ""))
      throw new Error(`no ${name}: "${values[index]}"`);
  return Object.fromEntries(axisNames.map((name, index) => [name, values[index]])) as unknown as Life;
}

/** Which faults can strike the requests of a change. */
function faultsOf(change: string): string[] {
  const isScale = /up|down/i.test(change);
  const isConfig = !["none", "up", "down", "power", "restart", "redeploy"].includes(change);
  const kinds: Record<string, boolean> = {
    update: isConfig,
    update2: /Remove|Both/.test(change),
    redeploy: isConfig || change === "redeploy",
    restart: change === "restart" || /power/.test(change),
    scale: isScale,
    stop: /power/.test(change),
  };
  const isWaiting = isConfig || isScale;
  return faultNames.filter((name) => {
    const [, at] = name.split(":");
    if (at !== undefined && at in kinds) return kinds[at];
    return isConfig || (isWaiting && !name.startsWith("sick")) || !/sick|slow/.test(name);
  });
}

/** Every life of this world that is run, in an order that does not change. */
export function allLives(): Life[] {
  const lives = new Map<string, Life>();
  const turns = new Map<string, number>();
  const turn = <T>(name: string, values: readonly T[]): T => {
    const count = (turns.get(name) ?? -1) + 1;
    turns.set(name, count);
    // A step that is prime to the length, so that axes that take turns together are mixed.
    return values[(count + Math.floor(count / values.length)) % values.length] as T;
  };
  const add = (life: Record<keyof Life, string>) => {
    // Without an update, the change of a stopped cluster, and of what an import does not show, is a replacement.
    const isPossible = !/^(none|client)/.test(life.dialect) || !["pending", "imported"].includes(life.history);
    if (isPossible) lives.set(lineOf(life as Life), life as Life);
  };
  const plainLife = {
    history: "fresh",
    other: "nothing",
    refresh: "asIs",
    ignore: "all",
    fault: "none",
    follow: "again",
  };
  const mainDialects = dialects.filter((name) => !/hidden|injects/.test(name));
  const { other, change, history, follow, ignore } = axes;
  const faults = new Map(change.map((each) => [each, faultsOf(each)]));
  const struckBy = new Map(
    faultNames.map((fault) => [fault, change.filter((each) => faults.get(each)?.includes(fault))]),
  );
  // Another user and the change.
  for (const o of other)
    for (const c of change)
      for (let draws = 0; draws < 24; draws += 1)
        add({
          ...{ ...plainLife, dialect: turn("d1", dialects), other: o, change: c },
          ...{ refresh: turn("r1", axes.refresh), follow: turn("f1", ["again", "revert"]) },
        });
  // A fault in each change, with all that can follow.
  for (const c of change)
    for (const fault of faults.get(c) ?? [])
      for (const f of follow)
        for (const from of [mainDialects, dialects])
          add({ ...plainLife, dialect: turn(`d2${from.length}`, from), change: c, fault, follow: f });
  // A fault after another user's change.
  for (const o of other.slice(1))
    for (const fault of faultNames)
      for (const f of follow)
        add({
          ...{ ...plainLife, dialect: turn("d3", dialects), other: o, refresh: turn("r3", axes.refresh) },
          ...{ change: turn(`c3${fault}`, struckBy.get(fault) ?? change), fault, follow: f },
        });
  // Other histories, and `ignoreChanges`, with and without faults.
  const starts = [...history.slice(1).map((each) => ({ history: each, ignore: "all" }))];
  const ignored = ignore.slice(1).map((each) => ({ history: "fresh", ignore: each }));
  for (const start of [...starts, ...ignored])
    for (const o of other)
      for (const c of change)
        for (const refresh of axes.refresh)
          for (const isFaulty of [false, true])
            add({
              ...{ ...start, dialect: turn("d4", dialects), other: o, refresh, change: c },
              ...{ fault: isFaulty ? turn(`fa4${c}`, faults.get(c) ?? []) : "none", follow: turn("f4", follow) },
            });
  return [...lives.values()];
}

/** What happened in a life; the laws judge it. */
export interface Lived {
  readonly life: Life;
  readonly dialect: Dialect;
  /** After the history, before another user did something. */
  readonly first: Truth;
  /** What another user has set, by path; `undefined` if it was removed. */
  readonly theirs: Flat;
  /** The steps from the change on; the last ones are calm. */
  readonly steps: readonly Step[];
  readonly main: Step;
  /** The diff after a last refresh. */
  readonly last: { readonly inputs: Properties; readonly diff: readonly string[]; readonly truth: Truth };
  readonly maxLiving: number;
  /** Write requests that reached the service outside of any command. */
  readonly strays: number;
}

const maxCalm = 4;

/** @throws Error if the history already fails. */
export async function live(life: Life): Promise<Lived> {
  const engine = new Engine(dialectOf(life.dialect));
  const { service, clock } = engine;
  const ignoreChanges = { all: undefined, ignoreEnv: "env", ignoreReplicas: "replicas", ignoreContainer: "container" }[
    life.ignore
  ];
  const before = await begin(engine, life.history);
  await clock.run(clock.sleep(300_000));
  const first = service.truth();
  service.asOther(others[life.other]);
  await clock.run(clock.sleep(60_000));
  const theirs = differences(first.stored, service.truth().stored);
  const begun = engine.steps.length;
  if (life.refresh === "refreshed") await engine.refresh();
  const fault = faultOf(life.fault);
  const changed: Inputs = { ...changes[life.change](before), ...fault?.inputs };
  const preview = previews[life.change];
  const previewed = preview ? { ...preview(changed), ...fault?.inputs } : undefined;
  const main = await engine.up({ title: "the change", program: changed, previewed, ignoreChanges, fault });
  const strays = await countStrays(engine);
  if (life.follow.startsWith("refresh")) await engine.refresh();
  const program = { ...follows[life.follow]({ before, changed }), ...fault?.inputs };
  for (let calm = 0; calm < maxCalm; calm += 1) {
    const title = calm === 0 ? life.follow : "calm";
    const { outcome } = await engine.up({ title, program, ignoreChanges });
    if (outcome === "same") break;
    await clock.run(clock.sleep(60_000));
  }
  const steps = engine.steps.slice(begun);
  const settled = engine.held;
  await engine.refresh("last refresh");
  const diff = Object.keys(await engine.preview(program, ignoreChanges));
  const last = { inputs: settled?.inputs ?? {}, diff, truth: service.truth() };
  const { maxLiving, dialect } = service;
  return { life, dialect, first, theirs, steps, main, last, maxLiving, strays };
}

/** Brings up the first cluster. Returns the program. */
async function begin(engine: Engine, history: Life["history"]): Promise<Inputs> {
  const { service } = engine;
  const up = async (title: string, program: Inputs) => {
    const { outcome, error } = await engine.up({ title, program });
    if (outcome === "failed") throw new Error(`${title}: ${error}`);
    return program;
  };
  if (history === "fresh" || history === "pending") await up("creation", base);
  if (history === "pending") {
    const stopped = await up("stop", { ...base, desiredStatus: "stopped" });
    return up("a change while it is stopped", withEnv(stopped, { MODEL: "pending" }));
  }
  if (history === "fresh") return base;
  const { names } = service;
  const { extraFields, ...body } = base;
  const env = history === "adopted" ? { ...base.env, LICENSE: "x" } : base.env;
  const id = service.make({
    ...Object.fromEntries(Object.entries({ ...body, env }).map(([name, value]) => [Reflect.get(names, name), value])),
    ...(extraFields as object),
  });
  await engine.clock.run(engine.clock.sleep(60_000));
  if (history === "adopted") {
    await up("adoption", { ...base, adopt: id });
    return base;
  }
  await engine.import(id);
  return up("import", base);
}

async function countStrays({ service, clock }: Engine): Promise<number> {
  const { length } = service.sent;
  await clock.run(clock.sleep(600_000));
  return service.sent.slice(length).filter(({ isWrite }) => isWrite).length;
}

export function differences(before: Flat, after: Flat): Flat {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(paths.filter((path) => before[path] !== after[path]).map((path) => [path, after[path]]));
}

/** What a program asks for, by path. */
export function flatInputs(inputs: Properties): Flat {
  const { container, registryCredentialId, replicas = 1, desiredStatus = "running", env, extraFields } = inputs;
  return {
    ...{ container, replicas, desiredStatus },
    ...(registryCredentialId === undefined ? {} : { registryCredentialId }),
    ...prefixed("env", (env ?? {}) as object as Flat),
    ...prefixed("extraFields", (extraFields ?? {}) as object as Flat),
  };
}
