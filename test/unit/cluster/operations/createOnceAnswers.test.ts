import { createService } from "../../../../provider/cluster/resource";
import type { Fault } from "../../../../simulator";
import { closeAll, countOf, failureOf, living, openBench } from "../harness";
import * as harness from "./createOnceHarness";

const { claim, createLine, expectDoubt, expectOne } = harness;
const { failingLists, laterLists, listLine, lists, lost, lostAfter, post } = harness;

afterEach(closeAll);

const later = { ...post, when: "after" } as const;
const answer = (body: string | object): Fault => ({
  ...post,
  kind: "body",
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const hidden = (ms: number): Fault => ({ kind: "hidden", ms });
const operation = answer({ id: "op_77", status: "pending" });

/** What goes wrong, and how many create requests it may take. */
const oneCluster: [string, number, ...Fault[]][] = [
  ["nothing", 1],
  ["a connection that breaks after the effect", 1, lostAfter],
  ...[408, 500, 502, 503, 504, 524].flatMap((status): [string, number, Fault][] => [
    [`a ${status} after the effect`, 1, { ...later, kind: "status", status }],
    [`a web page with ${status} after the effect`, 1, { ...later, kind: "html", status }],
  ]),
  ["an answer that ends in the middle", 1, { ...post, kind: "truncate" }],
  ["a web page with 201", 1, { ...later, kind: "html", status: 201 }],
  ["an empty answer", 1, answer("")],
  ["an answer of null", 1, answer("null")],
  ["an answer of a list", 1, answer("[]")],
  ["an answer without an id", 1, answer('{"name":"web","status":"provisioning"}')],
  ["an answer with an id that is a path", 1, answer('{"id":"../admin","name":"web"}')],
  ["an answer with an id that is a number", 1, answer('{"id":7}')],
  ["an answer with the id of an operation", 1, operation],
  ["an answer with an id of another form and our name", 1, answer({ id: "web-1", name: "web" })],
  ["an answer with another name", 1, answer({ id: "cl_other", name: "other" })],
  ["an answer with another name and an id of another form", 1, answer({ id: "op_77", name: "create-cluster" })],
  ["the id of an operation and a list that lags 2 s behind", 1, operation, hidden(2_000)],
  ["a delayed answer", 1, { ...post, kind: "delay", ms: 20 }],
  ...[2_000, 8_000, 15_000].map((ms): [string, number, ...Fault[]] => [
    ...([`a lost answer and a list that lags ${ms} ms behind`, 1] as const),
    ...[lostAfter, hidden(ms)],
  ]),
  [
    "a request that is refused by 429 once",
    2,
    { ...post, kind: "status", status: 429, headers: { "Retry-After": "3" } },
  ],
  ["a lost answer and a list that fails", 1, lostAfter, { ...lists, kind: "status", status: 503, after: 1, times: 4 }],
];

test.each(oneCluster)("exactly one cluster comes of %s", async (_title, posts, ...faults) => {
  const bench = await openBench({ faults });
  await expectOne(bench, posts);
  if (posts === 1) expect(bench.said.filter((text) => !text.startsWith("info: "))).toEqual([]);
});

const web = { id: "cl_a", name: "web", gpu_type: "h100" };

/** What fails before the effect, or looks so. */
const nothingMade: [string, ...Fault[]][] = [
  ["a connection that breaks", lost],
  ...[408, 500, 502, 503, 504, 524].flatMap((status): [string, Fault][] => [
    [`a ${status}`, { ...post, kind: "status", status }],
    [`a web page with ${status}`, { ...post, kind: "html", status }],
  ]),
  ["a lost answer and a cluster of another name", lost, laterLists([{ ...web, name: "web-2" }])],
  ...["terminating", "deleted"].map((status): [string, ...Fault[]] => [
    ...([`a lost answer and a cluster of our name that is ${status}`] as const),
    ...[lost, laterLists([{ ...web, status }])],
  ]),
];

test.each(nothingMade)(
  "the next run makes the cluster after %s, and this one sends nothing more",
  async (_title, ...faults) => {
    const bench = await openBench({ faults });
    const error = await expectDoubt(bench, /no list of clusters shows it/);
    // An error hook of the program makes the engine ask again in the same run.
    expect(await bench.run(failureOf(claim(bench)))).toBe(error);
    const service = createService(bench.client, "seen", bench.clock, 15_000, bench.simulator.url);
    await expectOne(bench, 2, claim({ ...bench, service }));
  },
);

/** What leaves a cluster that may exist, in an error that says this. */
const doubts: [string, Fault[], RegExp][] = [
  [
    "a list that keeps failing",
    [lostAfter, failingLists(500, 1)],
    /Before you run .* check the service for the name "web"/,
  ],
  ["a key that may not list", [lostAfter, failingLists(403)], /check the service/],
  [
    "one page of many",
    [lostAfter, { ...lists, kind: "body", body: '{"clusters":[],"next":"p2"}' }],
    /check the service/,
  ],
  [
    "a record that cannot be read",
    [lostAfter, { ...lists, kind: "body", body: JSON.stringify({ clusters: [{}, { id: "cl_z", name: "z" }] }) }],
    /it is not known which clusters existed before/,
  ],
  ["another id and a list that fails", [operation, failingLists(500, 1)], /op_77/],
  ["another id and a list that is refused", [operation, failingLists(403, 1)], /op_77/],
  ["another id and a list that is refused from the start", [operation, failingLists(403)], /op_77/],
  ["another id and a list without it", [operation, laterLists([])], /op_77/],
  ["another id and a list of another cluster", [operation, laterLists([{ id: "cl_x", name: "other" }])], /op_77/],
  ["an id that was in the list before", [operation, laterLists([{ id: "op_77", name: "other" }], 0)], /op_77/],
  ["a new cluster without a name", [lost, laterLists([{ id: "cl_a", gpu_type: "h100" }])], /one of cl_a/],
  ["nothing but an id", [lost, laterLists([{ id: "cl_a" }])], /one of cl_a/],
  ["another GPU type", [lost, laterLists([{ ...web, gpu_type: "l4" }])], /one of cl_a/],
  ["no GPU type", [lost, laterLists([{ id: "cl_a", name: "web" }])], /one of cl_a/],
  ["our name in capitals, another type", [lost, laterLists([{ ...web, name: "WEB", gpu_type: "l4" }])], /one of cl_a/],
  ["our cluster and one without a name", [lost, laterLists([web, { id: "cl_b" }])], /one of cl_a.*cl_b/],
  ["two of our clusters", [lost, laterLists([web, { ...web, id: "cl_b" }])], /one of cl_a.*cl_b/],
  ["a name with a prefix", [lost, laterLists([{ ...web, name: "org-1/web" }])], /one of cl_a/],
  ["a name with more words", [lost, laterLists([{ ...web, name: "web (org 1)" }])], /one of cl_a/],
];

test.each(doubts)("a person is told that a cluster may exist after %s", async (_title, faults, text) => {
  const bench = await openBench({ faults });
  const { message } = await expectDoubt(bench, text);
  if (text.source.includes("cl_a")) expect(message).toContain("may have been created, but its id is not known");
});

const inList = (record: object) => [answer(record), laterLists([record])];
const calls = (name: string) => `the service calls cl_a "${name}"`;

/** What the list, or the answer, shows; and the cluster that it is. */
const taken: [string, Fault[], object, string[]?][] = [
  ["the documented id", [answer({ id: "cl_a", name: "web" })], { id: "cl_a" }],
  ["the documented id in capitals", [answer({ id: "CL_A", name: "WEB" })], { id: "CL_A" }],
  ["the documented id without a name", [answer({ id: "cl_a" })], { id: "cl_a" }],
  ["an id without a name that is new in the list", inList({ id: "web-1", status: "pending" }), { id: "web-1" }],
  ["an id with our name", inList({ id: "web-1", name: "web" }), { id: "web-1", name: "web" }],
  ["a new id with another name", inList({ id: "cl_a", name: "acme-web" }), { id: "cl_a" }, [calls("acme-web")]],
  ["a new id with a longer name", inList({ id: "cl_a", name: "acme/web" }), { id: "cl_a" }, [calls("acme/web")]],
  ["our cluster", [lostAfter, laterLists([web])], { id: "cl_a" }],
  ["our name in capitals", [lostAfter, laterLists([{ id: "cl_a", name: "Web", gpu_type: "H100" }])], { id: "cl_a" }],
  ["the GPU type with its maker", [lost, laterLists([{ ...web, gpu_type: "nvidia-h100" }])], { id: "cl_a" }],
  ["the GPU type with its memory", [lost, laterLists([{ ...web, gpu_type: "NVIDIA H100 80GB" }])], { id: "cl_a" }],
  ["the GPU type with a hyphen", [lost, laterLists([{ ...web, gpu_type: "H-100" }])], { id: "cl_a" }],
];

test.each(taken)("%s is taken after one request", async (title, faults, record, said = []) => {
  const bench = await openBench({ faults });
  expect(await bench.run(claim(bench))).toMatchObject(record);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  if (title.startsWith("the documented")) expect(countOf(bench.simulator, listLine)).toBe(1);
  expect(bench.said).toEqual(said);
});

test.each([400, 401, 402, 403, 404, 413, 422, 501])("a creation that %d refuses is not tried again", async (status) => {
  const bench = await openBench({ faults: [{ ...post, kind: "status", status, message: "no, thanks" }] });
  const error = await bench.run(failureOf(claim(bench)));
  expect(error.message).toMatch(/no, thanks/);
  expect(countOf(bench.simulator, createLine)).toBe(1);
  expect(living(bench.simulator)).toEqual([]);
});
