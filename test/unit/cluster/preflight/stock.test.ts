import type { Client } from "../../../../provider/api/client";
import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type FixtureOptions, openFixture } from "../harness";
import { checked } from "../inputs";
import { checkAll, checkOnce, old } from "./harness";

/** The simulator has 32 free h200. */
const many = (replicas: unknown): Properties => ({ ...checked, gpuType: "h200", replicas });
const held = (replicas: number, changes: Properties = {}) => old({ gpuType: "h200", replicas, ...changes });
const aboutStock = (said: string[]) => said.filter((line) => line.includes("not enough GPUs"));
const strict: FixtureOptions = { settings: { previewChecks: "strict" } };
const becauseStrict = " (an error because gpucluster:previewChecks is `strict`)";
const atRest = { desiredStatus: "stopped" };
const inStock = async () => ({ gpus: [{ type: "h200", available: true, raw: {} }], extent: "whole" as const });
const counted = async () => ({ gpus: [{ type: "h200", availableCount: 32, raw: {} }], extent: "whole" as const });
const failing = () => Promise.reject(new Error("down"));
/** A list with a price and no stock. */
const noStock = async () => ({ gpus: [{ type: "h200", pricePerHour: 3.99, raw: {} }], extent: "whole" as const });

/** A service with these lists of types and of available GPUs. */
const lists = (listGpuTypes: Client["listGpuTypes"], listGpuAvailability: Client["listGpuTypes"]): FixtureOptions => ({
  client: () => ({ listGpuTypes, listGpuAvailability }),
});

describe("a stock that is exceeded", () => {
  it.each<[string, Properties, Properties | undefined, number, FixtureOptions?]>([
    ["warns of all GPUs of a creation", many(33), undefined, 33],
    ["warns of the difference of a scale-up", many(40), held(5), 35],
    ["warns of each GPU of a replica", { ...many(5), extraFields: { gpus_per_replica: 8 } }, undefined, 40],
    ["warns of all GPUs of a start", many(40), held(40, atRest), 40],
    ["warns of all GPUs of a replacement by another type", many(40), held(40, { gpuType: "h100" }), 40],
  ])("%s", async (_title, news, olds, wanted, options = {}) => {
    const { refusals, said } = await checkOnce(news, olds, options);
    expect(refusals).toEqual([]);
    expect(aboutStock(said)).toEqual([`warning: web: not enough GPUs: ${wanted} x h200 needed, 32 available`]);
  });

  it("warns of a number that only the list of available GPUs shows", async () => {
    const { said } = await checkOnce(many(33), undefined, lists(inStock, counted));
    expect(aboutStock(said)).toEqual(["warning: web: not enough GPUs: 33 x h200 needed, 32 available"]);
  });

  it("counts each cluster of a run once, by its last check and its type", async () => {
    const sizes = { a: [20, 10], b: [20], c: [5] };
    const news = Object.entries(sizes).flatMap(([name, list]) => list.map((size) => ({ ...many(size), name })));
    const others = [
      { ...many(10), name: "b" },
      { ...checked, name: "other-type" },
    ];
    const results = await checkAll(await openFixture(), [...news, ...others]);
    const warning =
      "warning: c: not enough GPUs: 5 x h200 needed, 35 for all clusters of this run so far, 32 available";
    expect(results.map(({ said }) => said)).toEqual([[], [], [], [warning], [], []]);
  });
});

describe("the stock", () => {
  it.each<[string, Properties, Properties | undefined, FixtureOptions?]>([
    ["needs no message if it is enough for a creation", many(32), undefined],
    ["needs no message for a scale-down", many(40), held(50)],
    ["needs no message for a stopped cluster", { ...many(40), ...atRest }, undefined],
    ["needs no message for replicas that are not known yet", many(UNKNOWN), undefined],
    ["needs no message if only a flag says that GPUs are available", many(400), held(1), lists(inStock, inStock)],
    ["needs no message if a flag says so and the number cannot be read", many(400), held(1), lists(inStock, failing)],
    ["needs no message if it is not known", many(400), held(1), lists(noStock, noStock)],
  ])("%s", async (_title, news, olds, options = {}) => {
    const { said, refusals } = await checkOnce(news, olds, { ...strict, ...options });
    expect(refusals).toEqual([]);
    expect(aboutStock(said)).toEqual([]);
  });

  it("needs no message if it is enough for one of several types", async () => {
    const { refusals, said } = await checkOnce({ ...many(40), fallbackGpuTypes: ["h100"] }, {}, strict);
    expect(refusals).toEqual([]);
    expect(aboutStock(said)).toEqual([]);
    const none = await checkOnce({ ...many(400), fallbackGpuTypes: ["h100"] }, {}, strict);
    expect(none.refusals).toEqual([
      `replicas: not enough GPUs: 400 x h200 needed, 32 available, nor enough of h100${becauseStrict}`,
    ]);
  });
});
