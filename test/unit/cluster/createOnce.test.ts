import { createService } from "../../../provider/cluster/service";
import { ConnectionError, CreateError, InterruptedError } from "../../../provider/errors";
import type { Fault } from "../../../simulator";
import { claim, createLine, wanted } from "./createOnceHarness";
import { type Bench, closeAll, countOf, failureOf, living, openBench, requestLines, writes } from "./harness";

afterEach(closeAll);

const lost = { method: "POST", path: "/v1/clusters" } as const;
const later = { ...lost, when: "after" } as const;
const body = (text: string): Fault => ({ ...lost, kind: "body", body: text });

/** What goes wrong, and how many create requests it may take. */
const lostAnswers: [string, number, ...Fault[]][] = [
  ["nothing", 1],
  ["a connection that breaks before the effect", 2, { ...lost, kind: "drop" }],
  ["a connection that breaks after the effect", 1, { ...later, kind: "drop" }],
  ...[500, 502, 503].flatMap((status): [string, number, Fault][] => [
    [`a ${status} before the effect`, 2, { ...lost, kind: "status", status }],
    [`a web page with ${status} before the effect`, 2, { ...lost, kind: "html", status }],
  ]),
  ...[408, 500, 502, 503, 504, 524].flatMap((status): [string, number, Fault][] => [
    [`a ${status} after the effect`, 1, { ...later, kind: "status", status }],
    [`a web page with ${status} after the effect`, 1, { ...later, kind: "html", status }],
  ]),
  ["an answer that ends in the middle", 1, { ...lost, kind: "truncate" }],
  ["a web page with 201", 1, { ...later, kind: "html", status: 201 }],
  ["an empty answer", 1, body("")],
  ["an answer of null", 1, body("null")],
  ["an answer of a list", 1, body("[]")],
  ["an answer without an id", 1, body('{"name":"web","status":"provisioning"}')],
  ["an answer with an id that is a path", 1, body('{"id":"../admin","name":"web"}')],
  ["an answer with an id that is a number", 1, body('{"id":7}')],
  ["a delayed answer", 1, { ...lost, kind: "delay", ms: 20 }],
  ["a lost answer and a list that lags 2 s behind", 1, { ...later, kind: "drop" }, { kind: "hidden", ms: 2_000 }],
  ["a lost answer and a list that lags 8 s behind", 1, { ...later, kind: "drop" }, { kind: "hidden", ms: 8_000 }],
  ["a lost answer and a list that lags 15 s behind", 1, { ...later, kind: "drop" }, { kind: "hidden", ms: 15_000 }],
  [
    "a request that is refused by 429 once",
    2,
    { ...lost, kind: "status", status: 429, headers: { "Retry-After": "3" } },
  ],
  [
    "a lost answer and a list that fails at the same time",
    1,
    { ...later, kind: "drop" },
    { kind: "status", status: 503, method: "GET", path: "/v1/clusters", after: 1, times: 4 },
  ],
  ["a lost answer twice, before and after the effect", 2, { ...lost, kind: "drop" }, { ...later, kind: "drop" }],
];

describe("exactly one cluster comes of", () => {
  it.each(lostAnswers)("%s", async (_title, posts, ...faults) => {
    const bench = await openBench({ faults });
    const record = await bench.run(claim(bench));
    expect(living(bench.simulator).map(({ id }) => id)).toEqual([record.id]);
    expect(countOf(bench.simulator, createLine)).toBe(posts);
  });
});

describe("a creation that surely failed", () => {
  it.each([400, 401, 402, 403, 404, 413, 422, 501])("is not tried again: %d", async (status) => {
    const bench = await openBench({ faults: [{ ...lost, kind: "status", status, message: "no, thanks" }] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error.message).toMatch(/no, thanks/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
    expect(living(bench.simulator)).toEqual([]);
  });

  it("twice without an answer is not tried a third time, and leaves the rest to a person", async () => {
    const bench = await openBench({ faults: [{ ...lost, kind: "drop", times: 2 }] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toMatch(/cluster "web" may have been created.*two create requests were sent/);
    expect(countOf(bench.simulator, createLine)).toBe(2);
  });
});

describe("a name that is taken", () => {
  it("is refused with the ids before anything is sent", async () => {
    const bench = await openBench();
    const ids = [1, 2].map(() => bench.simulator.addCluster({ name: "WEB".toLowerCase(), gpuType: "l4" }).id);
    const { message } = await bench.run(failureOf(claim(bench)));
    for (const id of ids) expect(message).toContain(id);
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("is refused in other capitals, too", async () => {
    const bench = await openBench();
    bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    await bench.run(failureOf(claim(bench, { name: "Web" })));
    expect(writes(bench.simulator)).toEqual([]);
  });

  it("between the list and the request is explained with the id of its holder", async () => {
    const bench = await openBench({ dialect: { uniqueNames: true } });
    await bench.run(bench.service.lists.recent(0));
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error.message).toContain(id);
    expect(error.message).toMatch(/is already the name of/);
  });

  it("by a conflict that is another one keeps the service's own words", async () => {
    const bench = await openBench();
    const { message } = await bench.run(failureOf(claim(bench, { replicas: 1_000 })));
    expect(message).toMatch(/1000 GPUs of type "h100" are wanted/);
  });

  it("is free as soon as this process has deleted its holder", async () => {
    const bench = await openBench({ deletionMs: 60_000 });
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100" });
    bench.service.owned.deleted(id);
    await bench.run(claim(bench));
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });
});

describe("two creations of one name at the same time", () => {
  it.each([
    ["the same name", "web"],
    ["the same name in other capitals", "WEB"],
  ])("make one cluster, and the other one is told: %s", async (_title, name) => {
    const bench = await openBench();
    const results = await bench.run(Promise.allSettled([claim(bench), claim(bench, { name })]));
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(living(bench.simulator)).toHaveLength(1);
  });

  it("of different names make both, after one list call", async () => {
    const bench = await openBench();
    await bench.run(Promise.all([claim(bench), claim(bench, { name: "api" })]));
    expect(living(bench.simulator)).toHaveLength(2);
    expect(countOf(bench.simulator, "GET /v1/clusters")).toBe(1);
  });
});

describe("a lost answer that cannot be cleared up", () => {
  it("with two candidates fails with all their ids, and sends nothing more", async () => {
    const bench = await openBench({
      faults: [
        { ...later, kind: "drop" },
        { kind: "hidden", ms: 4_000 },
      ],
    });
    const made = failureOf(claim(bench));
    await bench.clock.advance(1_000);
    bench.simulator.change(bench.simulator.addCluster({ name: "web", gpuType: "h100" }).id, { hiddenMs: 3_000 });
    const { message } = await bench.run(made);
    for (const { id } of bench.simulator.clusters()) expect(message).toContain(id);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it("does not take a new cluster of another name", async () => {
    const bench = await openBench({ faults: [{ ...lost, kind: "drop" }] });
    const made = claim(bench);
    await bench.clock.advance(500);
    const { id } = bench.simulator.addCluster({ name: "web-2", gpuType: "h100" });
    expect((await bench.run(made)).id).not.toBe(id);
  });

  it("by a new cluster of that name with another GPU type names it, and sends nothing more", async () => {
    const bench = await openBench({ faults: [{ ...lost, kind: "drop" }] });
    const made = failureOf(claim(bench));
    await bench.clock.advance(500);
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "l4" });
    expect((await bench.run(made)).message).toContain(id);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it("does not take a cluster of that name that is older than the request", async () => {
    const bench = await openBench({ faults: [{ ...lost, kind: "drop" }] });
    const made = claim(bench);
    await bench.clock.advance(500);
    const createdAt = bench.clock.now() - 3_600_000;
    const { id } = bench.simulator.addCluster({ name: "web", gpuType: "h100", createdAt });
    const result = await bench.run(made.catch(() => undefined));
    expect(result?.id).not.toBe(id);
  });

  it("does not take a cluster that this process has made", async () => {
    const bench = await openBench();
    const first = await bench.run(claim(bench, { name: "api" }));
    bench.simulator.fault({ ...later, kind: "drop" });
    expect((await bench.run(claim(bench))).id).not.toBe(first.id);
    expect(living(bench.simulator)).toHaveLength(2);
  });

  it("because the list keeps failing says so, names the cluster, and sends nothing more", async () => {
    const bench = await openBench({
      faults: [
        { ...later, kind: "drop" },
        { kind: "status", status: 500, method: "GET", path: "/v1/clusters", after: 1, times: 1_000 },
      ],
    });
    const { message } = await bench.run(failureOf(claim(bench)));
    expect(message).toMatch(/cluster "web" may have been created, but its id is not known/);
    expect(message).toMatch(/Before you run the command again, check the service for the name "web"/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it.each([
    ["may not list", { kind: "status", status: 403, method: "GET", path: "/v1/clusters", times: 100 }],
    [
      "sees one page of many",
      { kind: "body", body: '{"clusters":[],"next":"p2"}', method: "GET", path: "/v1/clusters" },
    ],
    ["cannot read one record", { kind: "body", body: '{"clusters":[{}]}', method: "GET", path: "/v1/clusters" }],
  ] as const)("because the key %s is an error that names the cluster", async (_title, fault) => {
    const bench = await openBench({ faults: [{ ...later, kind: "drop" }, fault] });
    const { message } = await bench.run(failureOf(claim(bench)));
    expect(message).toMatch(/cluster "web" may have been created/);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });

  it("because it is interrupted is an error that names the cluster, at once", async () => {
    const bench = await openBench({
      faults: [
        { ...later, kind: "drop" },
        { kind: "hidden", ms: 60_000 },
      ],
    });
    const controller = new AbortController();
    const made = failureOf(claim(bench, {}, { signal: controller.signal }));
    await bench.clock.advance(3_000);
    controller.abort(new InterruptedError("interrupted"));
    const atMs = bench.clock.now();
    const error = await bench.run(made);
    expect(error.message).toMatch(/cluster "web" may have been created.*the search for the cluster was interrupted/);
    expect(bench.clock.now()).toBe(atMs);
  });
});

describe("a key that may create but not list", () => {
  it("creates, without a look at what exists", async () => {
    const bench = await openBench({
      faults: [{ kind: "status", status: 403, method: "GET", path: "/v1/clusters", times: 100 }],
    });
    const { id } = await bench.run(claim(bench));
    expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
  });

  it.each([401, 500])("but one whose list fails by %d creates nothing", async (status) => {
    const bench = await openBench({
      faults: [{ kind: "status", status, method: "GET", path: "/v1/clusters", times: 100 }],
    });
    await bench.run(failureOf(claim(bench)));
    expect(writes(bench.simulator)).toEqual([]);
  });
});

describe("a request that was waited for in vain, which the service may still be at work on,", () => {
  const timeLimit = () =>
    new ConnectionError("POST /v1/clusters: no complete answer came in time", {
      outcome: "ambiguous",
      method: "POST",
      path: "/v1/clusters",
      isLate: true,
    });

  /** A service whose answers never come; `act` is what it does all the same. */
  async function openLate(act: (bench: Bench) => void) {
    let sent = 0;
    const bench: Bench = await openBench({
      client: () => ({
        createCluster: () => {
          sent += 1;
          act(bench);
          return Promise.reject(timeLimit());
        },
      }),
    });
    return { bench, sent: () => sent };
  }

  it.each([408, 504, 524])("is never sent again, and the next run makes the cluster: %d", async (status) => {
    const bench = await openBench({ faults: [{ ...lost, kind: "status", status }] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toMatch(
      /cluster "web" may have been created.*the service may still be working on the request/,
    );
    // An error hook of the program makes the engine ask again in the same run.
    expect(await bench.run(failureOf(claim(bench)))).toBe(error);
    expect(countOf(bench.simulator, createLine)).toBe(1);
    const service = createService(bench.client, "seen", bench.clock, 15_000, bench.simulator.url);
    await bench.run(claim({ ...bench, service }));
    expect(living(bench.simulator)).toHaveLength(1);
  });

  it("is never sent again after a time limit either", async () => {
    const { bench, sent } = await openLate(() => undefined);
    const { message } = await bench.run(failureOf(claim(bench)));
    expect(message).toMatch(/cluster "web" may have been created.*the service may still be working on the request/);
    expect(sent()).toBe(1);
  });

  it("is looked for long enough to find what comes after one more minute", async () => {
    const { name, gpuType, container } = wanted;
    const { bench, sent } = await openLate(({ clock, simulator }) => {
      void clock.sleep(80_000).then(() => simulator.addCluster({ name, gpuType, container }));
    });
    const { id } = await bench.run(claim(bench));
    expect(living(bench.simulator).map((cluster) => cluster.id)).toEqual([id]);
    expect(sent()).toBe(1);
  });
});

describe("a second request", () => {
  it("that is refused leaves the doubt about the first", async () => {
    const refused: Fault = { ...lost, kind: "status", status: 402, message: "no more credit", after: 1 };
    const bench = await openBench({ faults: [{ ...lost, kind: "drop" }, refused] });
    const error = await bench.run(failureOf(claim(bench)));
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toMatch(
      /no more credit.*an earlier create request was lost, so it may still create a cluster "web"/,
    );
    expect(countOf(bench.simulator, createLine)).toBe(2);
  });

  it("that is lost too, and whose cluster is found, says what may still come", async () => {
    const bench = await openBench({
      faults: [
        { ...lost, kind: "drop" },
        { ...later, kind: "drop" },
      ],
    });
    const { id } = await bench.run(claim(bench));
    expect(bench.said).toEqual([
      expect.stringContaining("the request is sent again"),
      `two create requests were sent for ${id}: check whether the service lists a second cluster of its name`,
    ]);
  });
});

describe("a cluster of the same name and type that runs another image", () => {
  it("is somebody else's: it is named, and nothing more is sent", async () => {
    const bench = await openBench({
      faults: [{ ...lost, kind: "drop" }],
      client: (real) => ({
        createCluster: async (...args) => {
          bench.simulator.addCluster({ name: "web", gpuType: "h100" });
          return await real.createCluster(...args);
        },
        listClusters: async (...args) => {
          const list = await real.listClusters(...args);
          return { ...list, clusters: list.clusters.map((one) => ({ ...one, container: "theirs/model:1" })) };
        },
      }),
    });
    const [error, [theirs]] = [await bench.run(failureOf(claim(bench))), living(bench.simulator)];
    expect(error).toBeInstanceOf(CreateError);
    expect(error.message).toContain(`it may be one of ${theirs?.id}`);
    expect(countOf(bench.simulator, createLine)).toBe(1);
  });
});

describe("an interrupt before the request", () => {
  it("sends nothing", async () => {
    const bench = await openBench();
    const error = await bench.run(
      failureOf(claim(bench, {}, { signal: AbortSignal.abort(new InterruptedError("no")) })),
    );
    expect(error).toBeInstanceOf(InterruptedError);
    expect(requestLines(bench.simulator).filter((line) => line === createLine)).toEqual([]);
  });
});

describe("two creations of one name, one after the other,", () => {
  it.each(["web", "WEB"])("make one cluster, and the second one is told the id: %s", async (name) => {
    const bench = await openBench();
    const { id } = await bench.run(claim(bench));
    const { message } = await bench.run(failureOf(claim(bench, { name })));
    expect(message).toContain(id);
    expect(living(bench.simulator)).toHaveLength(1);
  });
});

describe("a first request that the service acts on late", () => {
  it("is reported with the id of its cluster", async () => {
    const late: string[] = [];
    const bench = await openBench({
      faults: [{ ...lost, kind: "drop" }],
      client: (real) => ({
        createCluster: async (...args) => {
          const record = await real.createCluster(...args);
          late.push(bench.simulator.addCluster({ name: "web", gpuType: "h100" }).id);
          return record;
        },
      }),
    });
    const { id } = await bench.run(claim(bench));
    expect(bench.said).toEqual([
      expect.stringContaining("the request is sent again"),
      expect.stringContaining(late[0] ?? "none"),
    ]);
    expect(bench.said[1]).not.toContain(id);
  });
});
