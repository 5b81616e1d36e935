import { Client } from "../../../../provider/api/client";
import { readClusterIfAny, readCreated, readDetail, readStatus } from "../../../../provider/api/decode/clusterRecords";
import { readGpuType } from "../../../../provider/api/decode/gpuRecords";
import { gpuKey, type StatusRecord } from "../../../../provider/api/decode/records";
import { matchGpu, priceInTier } from "../../../../provider/api/gpuMatch";
import { readAnswer } from "../../../../provider/api/http/answers";
import { type GpuRead, gpusOf, listOf, type Page } from "./listHarness";
import {
  always,
  answerOf,
  type Facts,
  type Form,
  listAnswer,
  type Pick,
  recordOf,
  replicasOf,
  shuffled,
  sicknesses,
  varied,
} from "./variations";

/**
 * An answer in a form that is like one of the three known ones is read right, in part, or as an error; never so that a program
 * buys twice, deletes, or reports what does not exist.
 */

const gpuTypes = ["h100", "h200", "a100-40gb", "a100-80gb", "rtx-4090", "l4"];

function factsOf(pick: Pick, id = `cl_${pick(1, 2, 3)}${pick("a", "b", "c")}`): Facts {
  const count = pick(1, 2, 3);
  return {
    id,
    name: `web-${id.slice(3)}`,
    status: pick("running", "Running", "provisioning", "frobnicating", "STATUS_ACTIVE"),
    gpu: pick(...gpuTypes),
    replicas: count,
    env: { HF_TOKEN: "hf_abcdefgh1234", MODE: "fast" },
    sick: Array.from({ length: count }, () => pick(undefined, undefined, ...sicknesses)),
  };
}

/** The reading, or undefined if it is an error. */
function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

interface PageMark {
  readonly beside?: object;
  readonly headers?: Record<string, string>;
  /** The query for this page; none if no reader can know it. */
  readonly query?: string;
}

/** How page `at` of a list says whether there is another one: beside the list, or in a header. */
const marks: readonly ((at: number, isLast: boolean, pages: number) => PageMark)[] = [
  (at, isLast) => ({ beside: { next_cursor: isLast ? null : `c${at + 1}` }, query: `cursor=c${at}` }),
  (at, isLast) => ({ beside: { next: isLast ? "" : `/v1/clusters?at=${at + 1}` }, query: `at=${at}` }),
  (at, isLast) => ({ beside: { links: { next: isLast ? null : { href: `?at=${at + 1}` } } }, query: `at=${at}` }),
  (at, _isLast, pages) => ({ beside: { page: at + 1, total_pages: pages }, query: `page=${at + 1}` }),
  (at, _isLast, pages) => ({ beside: { current_page: at + 1, last_page: pages }, query: `page=${at + 1}` }),
  (at, _isLast, pages) => ({ beside: { offset: at * 2, total_count: pages * 2 - 1 }, query: `offset=${at * 2}` }),
  (at) => ({ beside: { offset: at * 2, limit: 2 }, query: `offset=${at * 2}` }),
  (at, isLast) => ({ headers: isLast ? {} : header("x-next-page", String(at + 2)), query: `page=${at + 1}` }),
  (at, isLast) => ({ headers: isLast ? {} : header("link", `<?at=${at + 1}>; rel="next"`), query: `at=${at}` }),
  (_at, isLast) => ({ headers: isLast ? {} : header("link", "</v1/clusters/more>; rel=next") }),
  (_at, _isLast, pages) => ({ headers: header("x-total-count", String(pages * 2 - 1)) }),
  (_at, isLast) => ({ beside: { has_more: !isLast, paging: { bookmark: "x" } } }),
  (at) => ({ beside: { page: at + 1 } }),
  (_at, _isLast, pages) => ({ beside: { pagination: { total: pages * 2 - 1 } } }),
  (at, isLast) => ({ beside: { page_info: { has_next_page: !isLast, end_cursor: `c${at}` } } }),
  (_at, isLast) => ({ beside: { last_evaluated_key: isLast ? null : { id: "x" } } }),
  (_at, isLast) => ({ beside: { errors: isLast ? [] : ["one shard did not answer"] } }),
];

function header(name: string, value: string): Record<string, string> {
  return { [name]: value };
}

/** The pages of a list of clusters by their queries: two clusters on each, one on the last. */
function pagesOf(pick: Pick, form: Form) {
  const count = pick(1, 2, 3);
  const mark = pick(...marks);
  const all = Array.from({ length: count * 2 - 1 }, (_, index) => factsOf(pick, `cl_${index}`));
  const pages = Array.from({ length: count }, (_, at): [string, Page] => {
    const { beside = {}, headers = {}, query } = mark(at, at === count - 1, count);
    const list = all.slice(at * 2, at * 2 + 2).map((facts) => recordOf(facts, form));
    const json = varied(listAnswer(list, form, { ...beside }, pick), pick);
    return [at === 0 ? "" : (query ?? `unknown ${at}`), { json, headers }];
  });
  return { ids: all.map(({ id }) => id), pages, isFollowed: mark(0, false, 2).query !== undefined };
}

test(
  "a list is never complete without one of its clusters, and complete with all of them in a usual form",
  always(async (pick, form, log) => {
    const { ids, pages, isFollowed } = pagesOf(pick, form);
    const isWhole = pages.length === 1 || pick(true, false);
    const served = isWhole ? pages : pages.slice(0, -1);
    const list = await listOf(log(Object.fromEntries(served))).catch(() => undefined);
    expect(list?.ids.every((id) => ids.includes(id)) ?? true).toBe(true);
    if (list && list.extent !== "part") expect([...list.ids].sort()).toEqual(ids);
    if (isWhole && isFollowed) expect(["whole", "unproven"]).toContain(list?.extent);
  }),
);

test(
  "a list without its clusters is never complete and empty",
  always(async (pick, form, log) => {
    const record = recordOf(factsOf(pick), form);
    const other = pick("fleet", "archived_clusters", "deployments", "my_clusters");
    const lost = pick<unknown>(
      {},
      { data: {} },
      { clusters: null },
      { items: null, next_cursor: null },
      { warnings: [] },
      { [other]: [] },
      { data: { errors: [] } },
      { error: { message: "no database" } },
      { clusters: [], [other]: [record] },
      { data: [], [other]: { [String(record["id"])]: record } },
      { clusters: [], page: { [other]: { items: [record] } } },
      { data: [], items: [record] },
      { clusters: [], partial: true },
      { clusters: [], total: 1 },
      { clusters: [null] },
      { data: { user: { id: "u-1", name: "acme" } } },
    );
    const list = await listOf({ "": { json: log(varied(lost, pick)) } }).catch(() => undefined);
    expect(list?.extent ?? "part").toBe("part");
  }),
);

/** No more healthy replicas than there are. */
function expectHonest(status: StatusRecord | undefined, { sick }: Facts): void {
  const well = sick.filter((make) => make === undefined).length;
  expect(status?.replicas.filter(({ healthy }) => healthy === true).length ?? 0).toBeLessThanOrEqual(well);
  if (well < sick.length) expect(status?.overall ?? false).toBe(false);
}

test(
  "an unhealthy replica is never read as healthy",
  always((pick, form, log) => {
    const facts = factsOf(pick);
    const replicas = replicasOf(facts);
    const byId = Object.fromEntries(replicas.map((replica) => [replica["id"], replica]));
    const ready = facts.sick.filter((make) => make === undefined).length;
    const health = pick<object>(
      { replicas },
      { replicas: byId },
      { instances: replicas },
      { data: { replicas } },
      { replicas: { total: replicas.length, ready } },
      { summary: { desired: replicas.length, healthy: ready } },
      { replica_count: replicas.length, running_replicas: ready },
      { list_of_machines: replicas, healthy: true },
    );
    const status = log(varied({ status: facts.status, ...health }, pick));
    expectHonest(
      tried(() => readStatus(status)),
      facts,
    );
    const record = answerOf({ ...recordOf({ ...facts, status: "running" }, form), replicas, ...health }, form, pick);
    expectHonest(tried(() => readDetail(log(varied(record, pick)), facts.id))?.health, facts);
  }),
);

test(
  "another cluster is never read, and the right one is read whole",
  always((pick, form, log) => {
    const facts = factsOf(pick, "cl_1");
    const record = recordOf(facts, form);
    const other = recordOf(factsOf(pick, "cl_2"), form);
    const wrong = pick<unknown>(
      answerOf(other, form, pick),
      { clusters: [record, other] },
      [record, other],
      { id: "op_1", status: "running", resource: record },
      { cl_2: other },
      { items: [other], cluster: other },
    );
    expect(tried(() => readDetail(log(varied(wrong, pick)), facts.id))).toBeUndefined();
    expect(tried(() => readClusterIfAny(log(varied(wrong, pick)), facts.id))).toBeUndefined();
    const right = log(varied(answerOf(record, form, pick), pick));
    for (const read of [readDetail, readCreated]) {
      const { id, name, gpuType, replicas, status, env } = read(right, facts.id);
      const { gpu, sick: _sick, ...expected } = facts;
      expect({ id, name, gpuType, replicas, status, env }).toEqual({ ...expected, gpuType: gpu });
    }
  }),
);

/** Fields with the price of a GPU for one hour; not readable if their words do not show the meaning. */
const priceForms: readonly ((price: number) => { fields: object; isReadable: boolean })[] = [
  (price) => ({ fields: { price_per_hour: price }, isReadable: true }),
  (price) => ({ fields: { price_per_hour_cents: Math.round(price * 100) }, isReadable: true }),
  (price) => ({ fields: { hourly_rate: price.toFixed(2), currency: "USD" }, isReadable: true }),
  (price) => ({ fields: { pricing: { hourly: price, spot: price / 3 } }, isReadable: true }),
  (price) => ({ fields: { price, spot_price: price / 3, setup_fee: 0 }, isReadable: true }),
  (price) => ({ fields: { price: price / 60, billing_period: "minute" }, isReadable: false }),
  (price) => ({ fields: { price: { amount: price / 2, per: "half-hour" } }, isReadable: false }),
  (price) => ({ fields: { price_per_minute: price / 60 }, isReadable: false }),
  (price) => ({ fields: { price: { value: price / 100, exponent: 2 } }, isReadable: false }),
  (price) => ({ fields: { price_per_hour: price / 3, interruptible: true }, isReadable: false }),
  (price) => ({ fields: { price_per_hour: price / 3, tier: "spot" }, isReadable: false }),
  (price) => ({ fields: { price: `${price / 1000} per token`, rate: "0,5" }, isReadable: false }),
  (price) => ({ fields: { price_range: { from: price / 2, to: price } }, isReadable: false }),
];

/** Entries about something else, beside those of the types in a map. */
const strangers: readonly object[] = [
  {},
  {},
  { total: 3, limit: 3, count: 3 },
  { total_gpus: 99, available_count: 1 },
  { spot: 0.01, min_price: 0.01 },
  { "us-east-1": 99 },
  { "24": 0.01 },
  { updated_at: 5, page: 1, next_page: 2 },
];

const gpuLists: GpuRead[] = ["listGpuTypes", "listGpuModels", "listGpuPricing", "listGpuAvailability"];

test(
  "a price is never lower than the real one",
  always(async (pick, form, log) => {
    const tiers = { community: pick(0.49, 2.5, 3), verified: pick(3.5, 4.25) };
    const rows = gpuTypes.map((type) => {
      const model =
        form === "specification" ? { gpu_type: type } : { gpu_model_id: type, gpu_model_name: `NVIDIA ${type}` };
      return { model, byTier: Object.entries(tiers) };
    });
    const flat = pick(...priceForms)(tiers.community);
    const unit = pick<object>({}, {}, { unit: "hour" }, { billing_unit: "minute" });
    const isInTiers = pick(true, false);
    const list = rows.flatMap(({ model, byTier }) => {
      if (!isInTiers) return [{ ...model, ...flat.fields }];
      const cents = byTier.map(([tier, price]) => ({ ...model, tier, price_per_hour_cents: Math.round(price * 100) }));
      const nested = byTier.map(([tier, price]) => [tier, { price_per_hour: price }]);
      return form === "openrelay" ? cents : [{ ...model, pricing: Object.fromEntries(nested) }];
    });
    const alone = "billing_unit" in unit ? tiers.community / 60 : tiers.community;
    const inMap = pick<unknown>(flat.fields, alone, alone.toFixed(4));
    const byType = Object.fromEntries(gpuTypes.map((type) => [type, inMap]));
    const entries = { ...byType, ...pick(...strangers) };
    const prices = { prices: entries, ...unit };
    const map = pick<object>(
      prices,
      { result: entries, ...unit },
      { ...entries, ...unit },
      { types: gpuTypes, ...prices },
    );
    const rowsOrPlaces = form === "client" ? { data: list, ...unit } : { gpu: shuffled(list, pick), cpu: [], ...unit };
    const isInMap = !isInTiers && pick(true, false);
    const json = isInMap ? map : rowsOrPlaces;
    const { gpus } = await gpusOf(log(varied(json, pick)), isInMap ? "listGpuPricing" : pick(...gpuLists)).catch(
      () => ({ gpus: [] }),
    );
    const minPrices = { community: tiers.community, verified: isInTiers ? tiers.verified : tiers.community };
    for (const tier of [undefined, "community", "verified"] as const) {
      const { pricePerHour } = priceInTier(
        gpus.filter(({ type }) => gpuKey(type) === "h100"),
        tier,
      );
      if (pricePerHour !== undefined) expect(pricePerHour).toBeGreaterThanOrEqual(minPrices[tier ?? "community"]);
      if (!isInTiers && !flat.isReadable && !(isInMap && inMap !== flat.fields)) expect(pricePerHour).toBeUndefined();
    }
  }),
);

test(
  "another GPU is never taken for the requested one",
  always(async (pick, form, log) => {
    const list = gpuTypes.map((type) =>
      form === "specification"
        ? { type: pick("gpu", type), id: type, name: `NVIDIA ${type}`, available: true }
        : { id: type, name: `NVIDIA ${type}`, vram_gb: 80, hidden: false },
    );
    const byType = Object.fromEntries(list.map(({ id, ...facts }) => [id, facts]));
    const answers = [
      shuffled(list, pick),
      { data: list },
      { gpus: list, total: list.length },
      { models: { by_id: list } },
    ];
    const inMap = pick<unknown>("NVIDIA", 3, "3", true, "available", { available: true });
    const alone = Object.fromEntries(gpuTypes.map((type) => [type, inMap]));
    const beside = pick(...strangers);
    const maps = [{ gpu_types: byType }, byType, { ...alone, ...beside }, { availability: alone, ...beside }];
    const json = pick<unknown>(varied(pick<unknown>(...answers, ...maps), pick), ...maps);
    const { gpus } = await gpusOf(log(json), pick(...gpuLists)).catch(() => ({ gpus: [] }));
    expect(gpus.filter(({ type }) => strangers.some((each) => type in each))).toEqual([]);
    const requested = pick(...gpuTypes, "A100", "H100 80GB", "gpu", "acme");
    const match = matchGpu(requested, gpus);
    if (match.kind === "one") expect(gpuKey(match.gpu.type)).toBe(gpuKey(requested));
    const others = list.filter(({ id }) => id !== "h100");
    expect(
      tried(() => readGpuType(varied(pick<unknown>(others, { data: others }, others[0]), pick), "h100")),
    ).toBeUndefined();
  }),
);

test(
  "a value of an env that cannot be read is never in a message or a status",
  always(async (pick, form, log) => {
    const secret = "hf_abcdefgh1234";
    const quote = `could not start with ${secret}`;
    const facts = { ...factsOf(pick, "cl_1"), status: pick("running", quote), env: { HF_TOKEN: secret } };
    const env = pick<unknown>([{ name: "HF_TOKEN", value: secret }], [`HF_TOKEN=${secret}`], {
      HF_TOKEN: { value: secret },
    });
    const replicas = [{ id: "r-1", status: pick("failed", quote), healthy: false, message: quote }];
    const name = form === "specification" ? "env" : "env_vars";
    const record = { ...recordOf(facts, form), [name]: env, replicas, status_reason: quote };
    const body = JSON.stringify(varied(answerOf(record, form, pick), pick));
    const answer = pick(log(body), body.slice(0, -9), `<html>${quote}</html>`, JSON.stringify({ [secret]: [quote] }));
    const response = { status: 200, headers: {}, body: answer };
    const client = new Client({ send: async (request) => readAnswer(request, response, String) });
    const read = client.getCluster("cl_1").then(({ env: _env, ...rest }) => rest, String);
    expect(JSON.stringify(await read)).not.toContain(secret);
    const list = client.listClusters().then(({ clusters }) => clusters.map(({ env: _env, ...rest }) => rest), String);
    expect(JSON.stringify(await list)).not.toContain(secret);
  }),
);
