import { type Properties, UNKNOWN } from "../../../../provider/contract";
import { type FixtureOptions, openFixture } from "../harness";
import { checked } from "../inputs";
import { checkAll, checkOnce, checkTwice, old } from "./harness";

/** 32 of h200 are available, unless the test says otherwise. */
const many = (replicas: unknown): Properties => ({ ...checked, gpuType: "h200", replicas });
const held = (replicas: number, changes: Properties = {}) => old({ gpuType: "h200", replicas, ...changes });
const aboutStock = (said: string[]) => said.filter((line) => line.includes("not enough GPUs"));
const strict: FixtureOptions = { settings: { capacityCheck: "error" } };
const atRest = { desiredStatus: "stopped" };
const inStock = async () => ({ gpus: [{ type: "h200", available: true, raw: {} }], certain: true });
/** A list that says the price and nothing of the stock. */
const noStock = async () => ({ gpus: [{ type: "h200", pricePerHour: 3.99, raw: {} }], certain: true });

describe("a stock that is exceeded", () => {
  it.each<[string, Properties, Properties | undefined, number, FixtureOptions?]>([
    ["a creation counts whole", many(33), undefined, 33],
    ["a scale-up counts by its difference", many(40), held(5), 35],
    ["each GPU of a replica counts", { ...many(5), extraFields: { gpus_per_replica: 8 } }, undefined, 40],
    ["a start counts whole", many(40), held(40, atRest), 40],
    ["a replacement by another type counts whole", many(40), held(40, { gpuType: "h100" }), 40],
  ])(
    "is a warning with the type, what is wanted and what there is: %s",
    async (_title, news, olds, wanted, options = {}) => {
      const { refusals, said } = await checkOnce(news, olds, options);
      expect(refusals).toEqual([]);
      expect(aboutStock(said)).toEqual([`warning: web: not enough GPUs: ${wanted} x h200 needed, 32 available`]);
    },
  );

  it("is a failure if the stack says so", async () => {
    const { refusals, said } = await checkOnce(many(40), {}, strict);
    expect(refusals).toEqual(["replicas: not enough GPUs: 40 x h200 needed, 32 available (gpucluster:capacityCheck)"]);
    expect(said).toEqual([]);
  });

  it("counts the clusters of a run, each once, as it was checked last, and by its type", async () => {
    const sizes = { a: [20, 10], b: [20], c: [5] };
    const news = Object.entries(sizes).flatMap(([name, list]) => list.map((size) => ({ ...many(size), name })));
    const rest = [
      { ...many(10), name: "b" },
      { ...checked, name: "other-type" },
    ];
    const results = await checkAll(await openFixture(), [...news, ...rest]);
    const warning =
      "warning: c: not enough GPUs: 5 x h200 needed, 35 for all clusters of this run so far, 32 available";
    expect(results.map(({ said }) => said)).toEqual([[], [], [], [warning], [], []]);
  });
});

describe("a stock is no reason to say anything", () => {
  it.each<[string, Properties, Properties | undefined, FixtureOptions?]>([
    ["for a creation that it is enough for", many(32), undefined],
    ["for a scale-down", many(40), held(50)],
    ["for a cluster that is stopped", { ...many(40), ...atRest }, undefined],
    ["for replicas that are not known yet", many(UNKNOWN), undefined],
    [
      "if it is only known that there is some",
      many(400),
      held(1),
      { client: () => ({ listGpuTypes: inStock, listGpuAvailability: inStock }) },
    ],
    [
      "if it is not known",
      many(400),
      held(1),
      { client: () => ({ listGpuTypes: noStock, listGpuAvailability: noStock }) },
    ],
  ])("%s", async (_title, news, olds, options = {}) => {
    const { said, refusals } = await checkOnce(news, olds, { ...strict, ...options });
    expect(refusals).toEqual([]);
    expect(aboutStock(said)).toEqual([]);
  });

  it("for a replacement by a cluster of the same type, by its difference: only the engine knows the order", async () => {
    for (const news of [many(40), { ...many(40), name: "api" }])
      for (const { refusals } of await checkTwice(await openFixture(strict), news, held(39)))
        expect(refusals).toEqual([]);
  });

  it("for a creation with several types, if there is enough of one of them", async () => {
    const { refusals, said } = await checkOnce({ ...many(40), fallbackGpuTypes: ["h100"] }, {}, strict);
    expect(refusals).toEqual([]);
    expect(aboutStock(said)).toEqual([]);
    const none = await checkOnce({ ...many(400), fallbackGpuTypes: ["h100"] }, {}, strict);
    expect(none.refusals).toEqual([
      "replicas: not enough GPUs: 400 x h200 needed, 32 available, nor enough of h100 (gpucluster:capacityCheck)",
    ]);
  });
});
