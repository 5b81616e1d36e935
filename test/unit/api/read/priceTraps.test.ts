import { readPrice } from "../../../../provider/api/read/gpuFacts";

test.each<[string, Record<string, unknown>, number]>([
  ["the time in its name, whatever is billed", { price_per_hour: 3, billing_period: "minute" }, 3],
  ["the time beside it", { price: 0.05, billing_period: "minute" }, 3],
  ["a time that is said twice, once", { price_per_minute: "0.05 per minute" }, 3],
  ["a scale that is said twice, once", { price_cents: "299 cents" }, 2.99],
  ["a decimal comma before three digits", { price: "0,990 €/hr" }, 0.99],
  ["a comma of thousands", { price: "1,299 €/hr" }, 1299],
])("a price is read with %s", (_what, raw, pricePerHour) => {
  expect(readPrice(raw).pricePerHour).toBe(pricePerHour);
});

test.each<[string, Record<string, unknown>]>([
  ["a name of every object", { price_constructor: 3 }],
  ["other names of every object", { price_toString: 3, price_proto: 3, price___proto__: 3 }],
  ["a text with a name of every object", { price: "3 constructor" }],
  ["a percentage", { price: "15%" }],
  ["a percentage that is a rate", { rate: "15 %" }],
  ["an exponent beside it", { price: { amount: 299, exponent: 2 } }],
  ["an exponent beside it, in the record", { price: 299, exponent: 2 }],
  [
    "decimals and billionths beside it",
    { price: { value: 299, decimals: 2 }, cost: { amount: 2, nanos: 990_000_000 } },
  ],
  ["a time that cannot be converted beside it", { price: 2000, period: "month" }],
  ["a time that cannot be converted, in its object", { price: { amount: 2000, interval: "month" } }],
  ["no amount in its text", { price: "," }],
])("a price is none with %s", (_what, raw) => {
  expect(readPrice(raw)).not.toHaveProperty("pricePerHour");
});
