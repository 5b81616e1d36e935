import type { HttpResponse } from "../../../../provider/api/http/send";
import { diffCluster } from "../../../../provider/cluster/diff/diff";
import type { Properties } from "../../../../provider/contract";
import { expectClean } from "../../../support/cleanText";
import { isEverything } from "../../../support/shares";
import { type FixtureOptions, openFixture } from "../harness";
import { canary, checked } from "../inputs";

/** Whatever a service answers: nothing is bought twice, lost or taken for gone, and no message contains a secret. */

type Json = Readonly<Record<string, unknown>>;
/** Makes a bad answer from the text and the record of the real one. */
type Spoil = (real: { text: string; record: Json }) => Partial<HttpResponse>;
type BadAnswer = readonly [title: string, spoil: Spoil];

const body = (title: string, text: string, status?: number): BadAnswer => [
  title,
  () => ({ body: text, ...(status === undefined ? {} : { status }) }),
];
const changed = (title: string, change: (real: Json) => unknown): BadAnswer => [
  title,
  ({ record }) => ({ body: JSON.stringify(change(record)) }),
];

const escapes = "\u001b[2J\u001b]0;owned\u0007\u009b31m";
const error = {
  code: "internal",
  message: `Something ${escapes}\r\nfailed for ${canary}: the database is down`,
  status: 500,
};
const page = `<!DOCTYPE html><html><body>\r\n${escapes}<pre>${canary}</pre></body></html>`;

/** Successes that are no record, list or status. */
const unreadable: readonly BadAnswer[] = [
  body("nothing", ""),
  body("null", "null"),
  body("an empty object", "{}"),
  body("an error envelope", JSON.stringify({ error })),
  body("a web page that calls itself JSON", page),
  body("JSON that ends in the middle", `{"id":"cl_1","env":{"MODEL":"${canary}`),
];

/** Records with an invalid id, or with other invalid values, which count as missing. */
const oddRecords: readonly BadAnswer[] = [
  changed("an id that leaves its place", (real) => ({ ...real, id: "cl_1/../.." })),
  changed("a list of the one record", (real) => [real]),
  changed("no id", ({ id: _id, ...others }) => others),
  changed("only an id", ({ id }) => ({ id })),
  changed("a text for a number", (real) => ({ ...real, replicas: "two" })),
  changed("numbers for texts", ({ id }) => ({ id, name: 1, gpu_type: 2, endpoint: 3, created_at: 4, container: 5 })),
  changed("an object in env", (real) => ({ ...real, env: { MODEL: { secret: true } } })),
];

/** Failures that prove nothing. */
const refusals: readonly BadAnswer[] = [
  ["a 302", () => ({ status: 302, body: "", headers: { location: "https://evil.example/v1/clusters" } })],
  body("a 403 with a page", page, 403),
  body("a 500 that quotes everything", JSON.stringify({ error }), 500),
  body("a 503 with a page", page, 503),
  body("a 404 with a page", page, 404),
  body("a 410 with a page", page, 410),
];

/** A gateway may answer so to what the service has done. */
const redirects: readonly BadAnswer[] = [302, 303, 301].map((status) => [
  `a ${status}`,
  () => ({ status, body: "", headers: { location: "https://gateway.example/done" } }),
]);

/** Statuses, none of which means that the cluster is ready, failed, stopped or gone. */
const words = ["starting\r\nrunning\nready", "   ", 0, { reason: "failed" }, `starting with ${canary}`].map((status) =>
  changed(`the word ${JSON.stringify(status)}`, (real) => ({ ...real, status })),
);

/** Replicas in `/status` that are not healthy. */
const badReplicas = [
  [],
  [null, null],
  [{ healthy: 50 }, { healthy: 0 }],
  [{ id: "a", healthy: false, message: `${escapes}MODEL=${canary}` }],
].map((replicas) => changed(JSON.stringify(replicas).slice(0, 60), (real) => ({ ...real, replicas })));

const endpoints = {
  create: /^POST \/v1\/clusters$/,
  list: /^GET \/v1\/clusters$/,
  get: /^GET \/v1\/clusters\/[^/]+$/,
  status: /^GET \/v1\/clusters\/[^/]+\/status$/,
  update: /^PATCH /,
  scale: /^POST .*\/scale$/,
  redeploy: /^POST .*\/redeploy$/,
  delete: /^DELETE /,
};
type Where = keyof typeof endpoints;

/** Which answers are spoiled, by default all of the endpoint. Without `effect`, the request never reaches the service. */
interface SpoilOptions {
  readonly times?: number;
  readonly after?: number;
  readonly effect?: boolean;
}
type Spoils = Partial<Record<Where, Spoil | [Spoil, SpoilOptions]>>;
/** Where the answers of a row stand. */
type Places = Partial<Record<Where, SpoilOptions>>;

/** A service whose answers are spoiled after `begin`. */
async function openSpoiled(options: FixtureOptions = {}) {
  const rules: { where: Where; spoil: Spoil; options: SpoilOptions; seen: number }[] = [];
  const takeRule = (line: string) =>
    rules.find((rule) => {
      if (!endpoints[rule.where].test(line)) return false;
      rule.seen += 1;
      const { after = 0, times = Number.POSITIVE_INFINITY } = rule.options;
      return rule.seen > after && rule.seen <= after + times;
    });
  const wire: FixtureOptions["wire"] = (real) => async (request) => {
    const rule = takeRule(`${request.method} ${request.path}`);
    const isSent = rule?.options.effect !== false;
    const answer: HttpResponse = isSent ? await real(request) : { status: 200, headers: {}, body: "{}" };
    if (!rule) return answer;
    const record = answer.body.startsWith("{") ? JSON.parse(answer.body) : {};
    return { ...answer, ...rule.spoil({ text: answer.body, record }) };
  };
  const fixture = await openFixture({ provisioningMs: 0, ...options, wire });
  const begin = (spoils: Spoils) => {
    for (const [where, how] of Object.entries(spoils) as [Where, Spoil | [Spoil, SpoilOptions]][]) {
      const rule = Array.isArray(how) ? { spoil: how[0], options: how[1] } : { spoil: how, options: {} };
      rules.push({ where, ...rule, seen: 0 });
    }
  };
  return { fixture, begin };
}

const news: Properties = { ...checked, replicas: 3, env: { MODEL: `${canary}-2` } };

type What = "create" | "read" | "update" | "delete";
type Limits = FixtureOptions & { timeoutMs?: number; news?: Properties };

/**
 * An operation in a service that spoils its answers, on a cluster that was healthy before. Whether it fails or not, nothing is
 * bought twice, no cluster is lost, taken for gone or shown as what it is not, and no message shows a secret.
 */
async function expectSafe(what: What, spoils: Spoils, limits: Limits = {}) {
  const { timeoutMs, news: wanted = news, ...options } = limits;
  const { fixture, begin } = await openSpoiled(options);
  const { cluster, simulator } = fixture;
  const created = what === "create" ? { id: "", state: {} } : await fixture.settle(checked);
  begin(spoils);
  const ctx = fixture.ctx({ timeoutMs });
  const works = {
    create: () => cluster.create(ctx, checked),
    read: () => cluster.read(ctx, created.id, created.state),
    update: () => cluster.update(ctx, created.id, created.state, wanted).then((state) => ({ id: created.id, state })),
    delete: () => cluster.delete(ctx, created.id, created.state).then(() => ({})),
  };
  const end = await fixture.run(works[what]().catch((reason: Error) => reason));
  const failure = end instanceof Error ? end : undefined;
  const text = failure?.message ?? "";
  for (const message of [...fixture.messages, text]) {
    expectClean(message);
    expect(message).not.toContain(simulator.apiKey);
  }
  const kept = (end ?? {}) as { id?: string; state?: Properties; inputs?: Properties };
  const alive = fixture.living();
  const ids = alive.map(({ id }) => id);
  if (failure) expect(text).toContain('cluster "web"');
  if (what === "create") {
    expect([ids.length <= 1, fixture.countOf("POST /v1/clusters") <= 1]).toEqual([true, true]);
    if (!failure || kept.id) expect(ids).toEqual([kept.id]);
    else if (ids.length > 0) expect(text).toMatch(/may have been created.*check the service for the name/);
    if (kept.state) expect(kept.state).toMatchObject({ ...checked, settled: !failure });
  } else if (what === "read") {
    expect(fixture.writes()).toEqual([]);
    if (!failure) expect(kept.inputs).toMatchObject(checked);
    const changes = Object.keys(diffCluster(kept.state ?? created.state, checked).changes);
    expect(changes.filter((path) => path !== "settled")).toEqual([]);
  } else if (what === "update") {
    expect(ids).toEqual([created.id]);
    if (failure && kept.id) expect(kept).toMatchObject({ id: created.id, state: { settled: false } });
    // One odd answer does not prove that the service cannot update clusters.
    if (failure) expect(kept.state ?? {}).not.toHaveProperty("__fixed");
    if (!failure) expect(kept.state).toMatchObject({ ...wanted, settled: true });
    if (!failure) expect(alive).toMatchObject([{ replicas: wanted["replicas"], env: wanted["env"] }]);
  } else {
    expect(simulator.cluster(created.id)?.status === "gone").toBe(!failure);
    expect(fixture.messages.includes("status: deleted")).toBe(!failure);
    if (failure) expect(text).toContain(`(${created.id}) was not deleted: `);
  }
  return { isDone: !failure, text };
}

type Ends = "well" | "badly" | "safely";
type Row = [sentence: string, ends: Ends, what: What, answers: readonly BadAnswer[], places: Places, limits?: Limits];

const always: SpoilOptions = {};
const three = { times: 3 };
const later = { after: 1 };
const notDone = { effect: false };
const records = [...unreadable, ...oddRecords];
const all = [...unreadable, ...refusals];
const polls = [...unreadable, ...refusals.filter(([title]) => title !== "a 403 with a page")];
const lost = refusals.filter(([title]) => /^a 50[03]/.test(title));
const slow = { provisioningMs: 4_000, deletionMs: 4_000 };
const short = { timeoutMs: 6_000 };
const manual: Limits = { dialect: { updateRollsOut: false } };
const never: Limits = { ...short, deletionMs: 24 * 3_600_000 };
const scaled: Limits = { news: { ...checked, replicas: 3 } };

/** Requests with bad answers, and how the operation has to end. */
const rows: Row[] = [
  ["a creation", "well", "create", [...records, ...lost], { create: always }],
  ["a creation, and lists after it that say nothing", "badly", "create", unreadable, { create: always, list: later }],
  ["a creation that made nothing", "badly", "create", all, { create: { ...notDone, times: 1 } }],
  ["the list before a creation", "badly", "create", unreadable, { list: always }],
  ["three polls of a wait", "well", "create", [...polls, ...oddRecords, ...words], { get: three }, slow],
  ["three polls of replicas", "well", "create", [...unreadable, ...badReplicas], { status: three }, slow],
  ["all polls of a wait", "safely", "create", [...all, ...oddRecords], { get: always }, short],
  ["all polls of replicas", "badly", "create", badReplicas, { status: always }, short],
  ["a creation that is redirected when it is done", "well", "create", redirects, { create: always }],
  ["a change that is redirected when it is done", "well", "update", redirects, { update: always, scale: always }],
  ["a deletion that is redirected when it is done", "well", "delete", redirects, { delete: { times: 1 } }, slow],
  ["a deletion whose every answer is lost", "well", "delete", [...redirects, ...lost], { delete: always }, slow],
  ["a deletion that was not done, and reads", "badly", "delete", lost, { delete: notDone, get: always, list: always }],
  ["a read", "safely", "read", [...refusals, ...oddRecords, ...words], { get: always }],
  ["a read, and the list", "badly", "read", unreadable, { get: always, list: always }],
  ["a read of replicas", "safely", "read", [...all, ...badReplicas], { status: always }],
  ["an update", "well", "update", records, { update: always }],
  ["a scale", "well", "update", records, { scale: always }, scaled],
  ["a redeploy", "well", "update", records, { redeploy: always }, manual],
  ["an update that was not done", "safely", "update", refusals, { update: notDone }],
  ["the read before an update", "safely", "update", unreadable, { get: always }],
  ["all polls after an update", "safely", "update", unreadable, { get: later }, short],
  ["a deletion that was not done", "badly", "delete", all, { delete: notDone }, short],
  ["the answer to a deletion", "well", "delete", records, { delete: { times: 1 } }, slow],
  ["each answer to a deletion", "well", "delete", records, { delete: always }, slow],
  ["three polls of a deletion", "well", "delete", polls, { get: three }, slow],
  ["all polls of a deletion", "badly", "delete", polls, { get: always }, never],
];

describe.each(rows)("a bad answer: %s, which ends %s", (_sentence, ends, what, answers, places, limits) => {
  // A share is every other answer.
  it.each(answers.filter((_, index) => isEverything || index % 2 === 0))("does no harm: %s", async (_title, spoil) => {
    const entries = Object.entries(places).map(([where, options]) => [where, [spoil, options]]);
    const { isDone } = await expectSafe(what, Object.fromEntries(entries), limits);
    if (ends !== "safely") expect(isDone).toBe(ends === "well");
  });
});

const answer =
  (value: unknown): Spoil =>
  () => ({ body: JSON.stringify(value) });
const gateway404: Spoil = () => ({ status: 404, body: '{"message":"no Route matched with those values"}' });
const other = { id: "cl_other", name: "other", gpu_type: "l4", replicas: 9, container: "a/b:1", status: "running" };
const noneAndError = answer({ error, clusters: [] });
/** It does not show which clusters are older. */
const ofTheYearOne: Spoil = ({ text }) => ({
  body: text.replace(/"created_at":"[^"]*"/g, '"created_at":"0001-01-01"'),
});

describe("a doubtful answer", () => {
  it.each<[string, What, Spoils]>([
    ["an error and an id are no new cluster", "create", { create: answer({ id: "req_8f2a", error }) }],
    ["an error beside an empty list proves no absence", "create", { create: answer({}), list: [noneAndError, later] }],
    ["another cluster is not ours", "create", { create: answer(other) }],
    ["a list of the year 1 proves nothing", "create", { create: answer({}), list: [ofTheYearOne, later] }],
    ["an error and an id are no cluster", "read", { get: answer({ id: "req_8f2a", error }) }],
    [
      "an error beside the status `gone` is no status",
      "read",
      { get: ({ record }) => ({ body: JSON.stringify({ ...record, status: "gone", error }) }) },
    ],
    ["an error beside an empty list proves no absence", "read", { get: gateway404, list: noneAndError }],
    ["another terminated cluster is not ours", "read", { get: answer({ ...other, status: "terminated" }) }],
    ["another terminated cluster ends no deletion", "delete", { get: answer({ ...other, status: "terminated" }) }],
  ])("does no harm: %s (%s)", async (_title, what, spoils) => {
    await expectSafe(what, spoils, what === "delete" ? never : {});
  });

  it.each(["update", "redeploy", "delete"] as const)("of 200 with an error is not done: %s", async (where) => {
    const spoils = { [where]: [answer({ error }), { effect: false }] };
    const { text } = await expectSafe(where === "delete" ? "delete" : "update", spoils, {
      ...manual,
      timeoutMs: 16_000,
    });
    expect(text).toContain("the database is down");
  });
});
