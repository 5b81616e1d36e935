import fc from "fast-check";
import { money } from "../../../provider/cluster/money";
import { type Cost, Costs, costAt, knownCost, overOwnLimit } from "../../../provider/cluster/preview/cost";
import { UNKNOWN } from "../../../provider/core";
import { urnOf } from "./inputs";

const inputs = { gpuType: "h100", replicas: 3 };
const price = { amount: 2.99, currency: "USD" };

describe("what a cluster costs", () => {
  it("is the price of a GPU for each replica, without the traces of binary fractions", () => {
    expect(costAt(price, inputs)).toEqual({ amount: 8.97, currency: "USD", parts: "3 x h100 at 2.99 USD" });
  });

  it("is not known without a price", () => {
    expect(costAt(undefined, inputs).amount).toBeUndefined();
  });

  it("has at most six digits behind the point", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 10_000 }), (cents, replicas) => {
        const { amount = 0 } = costAt({ amount: cents / 100 }, { gpuType: "h100", replicas });
        expect(Math.round(amount * 100)).toBe(cents * replicas);
        expect(String(amount)).toMatch(/^\d+(\.\d{1,2})?$/);
      }),
    );
  });

  const before = { ...inputs, hourlyCost: 7.5 };

  it.each<[string, Parameters<typeof knownCost>[0], Parameters<typeof knownCost>[1], number | undefined]>([
    ["stays what it was while nothing changes that it depends on", inputs, before, 7.5],
    ["is nothing when the cluster is stopped", { ...inputs, desiredStatus: "stopped" }, undefined, 0],
    ["needs a price for a creation", inputs, undefined, undefined],
    ["needs a price where it was not known", inputs, inputs, undefined],
    ["needs a price for another number of replicas", { ...inputs, replicas: 4 }, before, undefined],
    ["needs a price for another type", { ...inputs, gpuType: "l4" }, before, undefined],
    ["needs a price for a start", inputs, { ...before, hourlyCost: 0, desiredStatus: "stopped" }, undefined],
  ])("%s", (_title, news, olds, amount) => {
    expect(knownCost(news, olds)?.amount).toBe(amount);
  });

  it("cannot be known where one of its parts is not", () => {
    expect(knownCost({ ...inputs, gpuType: UNKNOWN }, before)).toEqual({ parts: expect.any(String) });
  });
});

describe("an amount of money", () => {
  it.each<[number, string | undefined, string]>([
    [3, undefined, "3.00"],
    [8.9, undefined, "8.90"],
    [8.97, "USD", "8.97 USD"],
    [0.0035, "EUR", "0.0035 EUR"],
    [0, undefined, "0.00"],
  ])("%d %s is written %s", (amount, currency, text) => {
    expect(money(amount, currency)).toBe(text);
  });
});

describe("the limit of one cluster", () => {
  it("is told with the cost and how that is made up", () => {
    expect(overOwnLimit(costAt(price, { gpuType: "h100", replicas: 2 }), 5)).toBe(
      "is 5.00, but the cluster would cost 5.98 USD per hour: 2 x h100 at 2.99 USD",
    );
  });

  it.each<[string, Cost, number | undefined]>([
    ["is just reached", { amount: 5, parts: "" }, 5],
    ["does not exist", { amount: 5, parts: "" }, undefined],
    ["cannot be compared", { parts: "" }, 5],
  ])("stops nothing where it %s", (_title, cost, limit) => {
    expect(overOwnLimit(cost, limit)).toBeUndefined();
  });
});

describe("the limit of the stack", () => {
  const costsOf = (entries: Record<string, Cost>) => {
    const costs = new Costs();
    for (const [name, cost] of Object.entries(entries)) costs.set(urnOf(name), cost);
    return costs;
  };
  const usd = (amount: number): Cost => ({ amount, currency: "USD", parts: `1 x h100 at ${amount} USD` });

  it("is told with the sum and the three largest parts", () => {
    expect(costsOf({ a: usd(1), b: usd(4), c: usd(2), d: usd(3), e: usd(0) }).overLimit(9.5)).toBe(
      "gpucluster:maxHourlyCost is 9.50, but the clusters seen so far cost 10.00 USD per hour: " +
        "b 4.00 (1 x h100 at 4 USD), d 3.00 (1 x h100 at 3 USD), c 2.00 (1 x h100 at 2 USD), and 1 more",
    );
  });

  it("counts each resource once, as it was checked last", () => {
    const costs = costsOf({ a: usd(9) });
    costs.set(urnOf("a"), usd(2));
    expect(costs.overLimit(2)).toBeUndefined();
  });

  it("adds up without the traces of binary fractions", () => {
    expect(costsOf({ a: usd(0.1), b: usd(0.2) }).overLimit(0.3)).toBeUndefined();
  });

  it("cannot count what is not known, nor another currency, and says how many those are", () => {
    const costs = costsOf({
      a: usd(2),
      b: { parts: "" },
      c: { ...usd(50), currency: "EUR" },
      d: { amount: 1, parts: "" },
    });
    expect(costs.uncounted()).toEqual(["b", "c"]);
    expect(costs.overLimit(3)).toBeUndefined();
    expect(costs.overLimit(2)).toMatch(/cost 3.00 USD per hour: .*; not counted: 2 whose cost is not known$/);
  });
});
