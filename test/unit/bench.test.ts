import { readFileSync } from "node:fs";
import { join } from "node:path";
import { allReadyMs, lastRequestMs } from "../bench/bound";
import { bestOf, meanOf } from "../bench/figures";
import { plotOf, plotOfProcesses } from "../bench/plot";
import { reportOf } from "../bench/report";
import { listShowsAll, type Row, titleOf } from "../bench/rows";
import { tableOf } from "../bench/table";
import { missesOf, missText } from "../bench/targets";

const fresh = { limit: 100, windowMs: 60_000, phaseMs: 0, used: 0 };
const begun = { ...fresh, phaseMs: 20_000, used: 1 };

describe("the physical bound", () => {
  it.each([
    [1, fresh, 0],
    [100, fresh, 0],
    [101, fresh, 60_000],
    [200, fresh, 60_000],
    [201, fresh, 120_000],
    [500, fresh, 240_000],
    [99, begun, 0],
    [100, begun, 40_000],
    [199, begun, 40_000],
    [200, begun, 100_000],
    [500, begun, 280_000],
  ])("lets the last of %i requests go no earlier than the windows from %j do: after %i ms", (requests, phase, ms) => {
    expect(lastRequestMs(requests, phase)).toBe(ms);
  });

  it("is the formula of the research, W - phase + W (N/L - 2), for an unused window", () => {
    for (const clusters of [101, 250, 500, 1_000]) {
      const expected = 60_000 - 20_000 + 60_000 * (Math.ceil(clusters / 100) - 2);
      expect(lastRequestMs(clusters, { ...fresh, phaseMs: 20_000 })).toBe(expected);
    }
  });

  it("adds the time that the last cluster takes to come up", () => {
    expect(allReadyMs(100, 300_000, begun)).toBe(340_000);
  });
});

function up(clusters: number, provisioningS: number, figures: Row["figures"], others: Partial<Row> = {}): Row {
  const good = { seconds: 1, ratio: 1, lag: 1, requests: 1, refused: 0, failed: 0 };
  const figuresOfRow = { ...good, ...figures };
  return { kind: "up", who: "ours", clusters, provisioningS, figures: figuresOfRow, ...others };
}

describe("the verdict", () => {
  it.each<[string, Row, string[]]>([
    ["nothing of a row that reaches all", up(100, 300, {}), []],
    ["a refusal", up(10, 30, { refused: 1 }), ["refused"]],
    [
      "a resource that failed, and that there is no time",
      up(10, 300, { failed: 1, ratio: undefined }),
      ["failed", "ratio"],
    ],
    ["a ratio above 1.15 at 300 s", up(500, 300, { ratio: 1.16 }), ["ratio"]],
    ["no ratio of 1.15 at 300 s", up(500, 300, { ratio: 1.15 }), []],
    ["no ratio of several at 30 s", up(100, 30, { ratio: 9 }), []],
    ["a lag above 1.5 s", up(80, 300, { lag: 1.6 }), ["lag"]],
    ["a lag above 1.5 s at 30 s", up(10, 30, { lag: 1.6 }), ["lag"]],
    ["no lag of more clusters", up(500, 300, { lag: 9 }), []],
    ["no lag where a fifth waits for the next window", up(100, 300, { lag: 1.5 + 0.2 * 60 }), []],
    ["a lag above what the window takes", up(100, 300, { lag: 1.6 + 0.2 * 60 }), ["lag"]],
    ["no lag at 30 s where not even the creations leave room", up(100, 30, { lag: 73 }), []],
    ["a ratio above 1.03 of one cluster at 300 s", up(1, 300, { ratio: 1.031 }), ["ratio"]],
    [
      "a ratio above 1.07, and too many requests, of one cluster at 30 s",
      up(1, 30, { ratio: 1.08, requests: 31 }),
      ["ratio", "requests"],
    ],
    ["no lag of one cluster", up(1, 30, { lag: 9 }), []],
    ["too many requests for 500", up(500, 300, { requests: 1_151 }), ["requests"]],
    [
      "too many requests of a refresh from lists",
      up(500, 0, { requests: 91 }, { kind: "refresh", note: listShowsAll }),
      ["requests"],
    ],
    ["too many requests of a refresh one by one", up(500, 0, { requests: 551 }, { kind: "refresh" }), ["requests"]],
    ["too many requests of a destroy", up(500, 0, { requests: 561 }, { kind: "destroy" }), ["requests"]],
    [
      "no refusal of several processes on one key",
      up(300, 30, { refused: 5, refusedPercent: 5 }, { kind: "processes", processes: 3 }),
      [],
    ],
    [
      "more than 10 % of refusals of several processes",
      up(160, 5, { refusedPercent: 10.1 }, { kind: "processes", processes: 16 }),
      ["refusedPercent"],
    ],
    ["nothing of what others do", up(10, 300, { failed: 10, refused: 99 }, { who: "naive" }), []],
  ])("finds %s", (_what, row, figures) => {
    expect(missesOf([row]).map(({ figure }) => figure)).toEqual(figures);
  });

  it.each<[string, Row["figures"], string[]]>([
    ["not slower than the naive provider", { seconds: 41.7 }, []],
    ["slower", { seconds: 41.8 }, ["seconds"]],
    ["without a time", { seconds: undefined }, ["seconds"]],
  ])("finds a fleet that is %s", (_what, figures, missed) => {
    const naive = [
      up(90, 30, { seconds: 41.2 }, { who: "naive" }),
      up(90, 300, { seconds: 1 }, { who: "naive" }),
      up(10, 30, { seconds: 1 }, { who: "naive" }),
      up(90, 30, { seconds: 1 }, { who: "hasty" }),
    ];
    const ours = up(90, 30, { lag: 10, ...figures });
    expect(missesOf([ours, ...naive]).map(({ figure }) => figure)).toEqual(missed);
  });

  it("compares no time with that of a naive provider whose clusters did not all come up", () => {
    const naive = up(90, 30, { seconds: undefined, failed: 1 }, { who: "naive" });
    expect(missesOf([up(90, 30, { seconds: 99, lag: 10 }), naive])).toEqual([]);
  });

  it("names the row, and what is and what may be", () => {
    const texts = missesOf([up(10, 300, { ratio: 1.4 }), up(10, 300, { failed: 1, ratio: undefined })]).map(missText);
    expect(texts).toEqual([
      "create 10, 300 s (pulumi-gpucluster): ratio to bound is 1.40, may be 1.15",
      "create 10, 300 s (pulumi-gpucluster): failed is 1, may be 0",
      "create 10, 300 s (pulumi-gpucluster): ratio to bound is not known, may be 1.15",
    ]);
  });
});

describe("several runs of the same", () => {
  const runs = [
    { seconds: 31, lag: 2, requests: 20, refused: 0, failed: 1 },
    { seconds: 33, lag: 1, requests: 19, refused: 2, failed: 0 },
  ];

  it("count by their shortest times if only load makes them longer, and by the most of everything that is counted", () => {
    expect(bestOf(runs)).toEqual({ seconds: 31, lag: 1.5, requests: 20, refused: 2, failed: 1 });
  });

  it("count by their mean times if chance decides", () => {
    expect(meanOf(runs)).toEqual({ seconds: 32, lag: 1.5, requests: 20, refused: 2, failed: 1 });
  });

  it("count by the times of those that came up", () => {
    expect(meanOf([...runs, { requests: 9, failed: 2 }])).toMatchObject({ seconds: 32, failed: 2 });
  });
});

describe("the cost of a preview over resources that do nothing", () => {
  const previewOf = (kind: Row["kind"], who: Row["who"], overEmpty: number): Row => ({
    kind,
    who,
    clusters: kind === "preview" ? 200 : 60,
    figures: { overEmpty },
  });

  it.each([
    ["preview", "ours", 1.2, []],
    ["preview", "ours", 1.21, ["overEmpty"]],
    ["nativePreview", "native", 1.5, []],
    ["nativePreview", "native", 1.51, ["overEmpty"]],
  ] as const)("of the %s row of %s is %f: missed is %j", (kind, who, overEmpty, missed) => {
    expect(missesOf([previewOf(kind, who, overEmpty)]).map(({ figure }) => figure)).toEqual(missed);
  });
});

describe("what is written", () => {
  const rows = [
    up(10, 30, { seconds: 30 }, { who: "bound" }),
    up(10, 30, { refused: 2 }),
    up(10, 30, { seconds: undefined, ratio: undefined, failed: 10 }, { who: "naive" }),
  ];

  it("is a table with a mark behind what is missed, and nothing where nothing was measured", () => {
    const lines = tableOf(rows, missesOf(rows)).split("\n");
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[3]).toMatch(
      /^\| create 10, 30 s \| pulumi-gpucluster +\| +1\.0 \| +1\.00 \| +1\.00 \| +1 \| +2 ! \| +0 \|$/,
    );
    expect(lines[4]).toMatch(/naive, heeds Retry-After \| +\| +\| +1\.00 \|/);
  });

  it("is a plot in which those that did not come up are counted", () => {
    const svg = plotOf(rows);
    expect(svg).toContain("✗10");
    expect(svg.match(/<rect [^>]*width="18"/g)).toHaveLength(2);
    expect(titleOf(up(10, 30, {}))).toBe("create 10, 30 s");
  });

  it("is a plot of refusals and of the last end by number of processes", () => {
    const processes = (count: number, who: Row["who"], figures: Row["figures"]) =>
      up(160, 5, figures, { kind: "processes", who, processes: count });
    const shared = [
      processes(1, "ours", { seconds: 33, refusedPercent: 0 }),
      processes(16, "ours", { seconds: 44, refusedPercent: 4.4 }),
      processes(16, "naive", { seconds: undefined, refusedPercent: 61, failed: 7 }),
    ];
    const svg = plotOfProcesses([...rows, ...shared]);
    expect(svg.match(/<rect [^>]*width="18"/g)).toHaveLength(5);
    for (const part of [">16<", ">61<", ">44<", "✗7", "naive"]) expect(svg).toContain(part);
    expect(svg).not.toContain("physical bound");
    expect(shared.map(titleOf)).toEqual([
      "create 160, 5 s, in 1 process",
      "create 160, 5 s, in 16 processes on one key",
      "create 160, 5 s, in 16 processes on one key",
    ]);
  });
});

test("the words of docs/benchmark.md are those of the report", () => {
  const page = readFileSync(join(__dirname, "../../docs/benchmark.md"), "utf8");
  /** Without the figures of a run: the table, the missed targets, how late the machine was. */
  const words = (text: string) =>
    text
      .replace(/^\|.*\n/gm, "")
      .replace(/^Missed:\n\n(- .*\n)+|^Every target is reached\.\n/m, "")
      .replace(/than \d+ ms late/, "late");
  expect(words(page)).toBe(words(reportOf([], [], 0)));
});
