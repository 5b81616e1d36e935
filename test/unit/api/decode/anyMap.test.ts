import { readGpuType } from "../../../../provider/api/decode/gpuRecords";
import { gpuKey } from "../../../../provider/api/decode/names";
import type { GpuType } from "../../../../provider/api/decode/types";
import { endpoints as e } from "../../../../provider/api/endpoints";
import { priceInTier } from "../../../../provider/api/gpuMatch";
import { gpusOf } from "./listHarness";
import { always, type Pick, shuffled } from "./variations";

/** Random maps by GPU type, to plain values or records, beside numbers about something else. A type gets its own value, or none. */

interface Offer {
  readonly type: string;
  readonly price: number;
  readonly free: number;
}

const letters = ["h", "a", "b", "l", "gb", "mi", "rtx-", "RTX ", "t"];
const numbers = ["4", "40", "100", "200", "5090", "100-80gb", "200_sxm"];

function offersOf(pick: Pick): Offer[] {
  const types = Array.from({ length: pick(1, 2, 3, 5) }, () => `${pick(...letters)}${pick(...numbers)}`);
  const byKey = new Map([...types, ...pick([], ["titan"])].map((type) => [gpuKey(type), type]));
  return [...byKey.values()].map((type) => ({ type, price: pick(0.37, 1.25, 2.49, 12), free: pick(0, 1, 8, 48) }));
}

type Write = (offer: Offer) => unknown;

const lists = { pricing: e.listGpuPricing, availability: e.listGpuAvailability, types: e.listGpuTypes };
type Subject = keyof typeof lists;

/** The values of the types in a map. */
const writings: Readonly<Record<Subject, readonly Write[]>> = {
  pricing: [
    ({ price }) => price,
    ({ price }) => price.toFixed(2),
    ({ price }) => `$${price.toFixed(2)}`,
    ({ price }) => ({ price_per_hour: price, spot_price: price / 3 }),
    ({ price }) => ({ hourly: price.toFixed(4), currency: "USD" }),
    ({ price }) => ({ cents_per_hour: Math.round(price * 100) }),
    ({ price }) => ({ price: price / 60, unit: "minute" }),
    ({ price }) => ({ spot: price / 3, reserved: price / 2 }),
    ({ price }) => ({ price_range: { from: price / 2, to: price } }),
  ],
  availability: [
    ({ free }) => free,
    ({ free }) => String(free),
    ({ free }) => free > 0,
    ({ free }) => (free > 0 ? "available" : "sold_out"),
    ({ free }) => ({ free_gpus: free, total_gpus: 99 }),
    ({ free }) => ({ available: free > 0, total: 99, used: 99 - free }),
    ({ free }) => ({ total: 99, used: 99 - free }),
  ],
  types: [
    ({ price, free }) => ({ price_per_hour: price, available_count: free, total_count: 99 }),
    ({ price, free }) => ({ price_cents_per_hour: Math.round(price * 100), in_stock: free > 0 }),
    ({ type }) => ({ name: `NVIDIA ${type}`, memory_gb: 80 }),
    ({ price, free }) => ({ pricing: { hourly: price, spot: price / 3 }, available: free > 0 }),
  ],
};

/** Entries about something else, beside the types. */
const strangers: readonly object[] = [
  {},
  {},
  {},
  { total: 99 },
  { total_gpus: 99, available_count: 1 },
  { count: 99, limit: 99 },
  { sum: 0.01 },
  { spot: 0.01 },
  { price: 0.01 },
  { min_price: 0.01, max_price: 99 },
  { updated_at: 5 },
  { "us-east-1": 99 },
  { "24": 0.01 },
  { page: 1, next_page: 2 },
];
/** Fields beside the map, about all of it. */
const beside: readonly object[] = [{}, {}, { unit: "hour" }, { unit: "minute" }, { total: 99 }, { type: "spot" }];

/** An answer with the offers as a map. */
function answerOf(offers: readonly Offer[], subject: Subject, pick: Pick): unknown {
  const write = pick(...writings[subject]);
  const entries = offers.map((offer) => [offer.type, write(offer)] as const);
  const map = Object.fromEntries(shuffled([...entries, ...Object.entries(pick(...strangers))], pick));
  const name = pick("gpus", "types", "data", "result", subject === "pricing" ? "prices" : "availability", "stuff");
  const around = pick(...beside);
  return pick<unknown>(map, { ...map, ...around }, { [name]: map, ...around }, { data: { [name]: map }, ...around });
}

/** No type that is not in the map, no price below the real one, and no other stock. */
function expectOwnValues(gpus: readonly GpuType[], offers: readonly Offer[]): void {
  for (const { type, available, availableCount } of gpus) {
    const offer = offers.find((each) => gpuKey(each.type) === gpuKey(type));
    expect(offer && type).toBe(type);
    const { pricePerHour } = priceInTier(gpus.filter((gpu) => gpu.type === type));
    if (pricePerHour !== undefined) expect(pricePerHour).toBeCloseTo(offer?.price ?? 0, 6);
    if (available !== undefined) expect(available).toBe((offer?.free ?? 0) > 0);
    if (availableCount !== undefined) expect(availableCount).toBe(offer?.free);
  }
}

test(
  "a map by type gives each type its own value, or none",
  always(async (pick, _form, log) => {
    const offers = offersOf(pick);
    const subject = pick<Subject>("pricing", "availability", "types");
    const json = log(answerOf(offers, subject, pick));
    const { gpus } = await gpusOf(json, lists[subject]).catch(() => ({ gpus: [] }));
    expectOwnValues(gpus, offers);
  }, 300),
);

test(
  "the availability of one type is never that of another one, or of all of them",
  always((pick, _form, log) => {
    const offers = offersOf(pick);
    const type = shuffled(offers, pick)[0]?.type ?? "";
    // An object without any type is the record of the one that the request names.
    const others = offers.slice(1);
    const listed = others.some((offer) => /\d/.test(offer.type)) ? pick(offers, others) : offers;
    const json = log(answerOf(listed, "availability", pick));
    try {
      expectOwnValues(readGpuType(type)(json), offers);
    } catch (error) {
      if (error instanceof Error && "matcherResult" in error) throw error;
    }
  }, 200),
);
