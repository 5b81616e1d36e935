import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "../../../../provider/api/client";
import type { HttpRequest, HttpResponse } from "../../../../provider/api/http";
import { createBudget, rateBudget } from "../../../../provider/api/rateLimiter";
import type { ClusterRecord, GpuList, StatusRecord } from "../../../../provider/api/records";
import { ServiceForm } from "../../../../provider/api/serviceForm";
import { stateOf } from "../../../../provider/api/states";
import { statusErrors } from "../../../../provider/api/statusErrors";
import { isRecord } from "../../../../provider/core";
import { ApiError, messageOf } from "../../../../provider/errors";
import { Secret } from "../../../../provider/text";
import { VirtualClock } from "../../../support/virtualClock";

/** One answer of a real service, and the facts that a careful reader finds in it: see test/corpus/README.md. */
export interface Answer {
  readonly kind: "list" | "record" | "status" | "gpus" | "models" | "availability" | "pricing" | "error" | "headers";
  readonly via?: "create" | "scale" | "stop" | "restart" | "redeploy";
  readonly id?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload: unknown;
  readonly pages?: readonly { readonly query: Readonly<Record<string, string>>; readonly payload: unknown }[];
  readonly expect: Readonly<Record<string, unknown>>;
}

const folder = join(__dirname, "../../../corpus");
export const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

export function answerIn(file: string): Answer {
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}

/** The facts that the client reads in an answer, in the form of `expect`. */
export async function readingOf(answer: Answer): Promise<unknown> {
  const clock = new VirtualClock();
  const budget = createBudget({ clock, random: () => 0 });
  const chain = [statusErrors(new Secret("corpus-key-of-the-test")), rateBudget({ clock, random: () => 0, budget })];
  const send = chain.reduceRight((next, handler) => handler(next), wire(answer, clock.now()));
  const client = createClient(send, budget, new ServiceForm("specification"));
  const id = answer.id ?? idIn(answer.payload);
  const record = async () => shownCluster(await (vias[answer.via ?? "get"] ?? vias.get)(client, id));
  const readings: Record<Answer["kind"], () => Promise<unknown>> = {
    list: async () => {
      const { clusters, complete } = await client.listClusters();
      return { clusters: clusters.map(shownCluster), complete };
    },
    record,
    status: async () => shownStatus(await client.getClusterStatus(id)),
    gpus: async () => shownGpus(await client.listGpuTypes()),
    models: async () => shownGpus(await client.listGpuModels()),
    availability: async () => shownGpus(await client.listGpuAvailability()),
    pricing: async () => shownGpus(await client.listGpuPricing()),
    error: () => record().then(() => "no error", shownError),
    headers: async () => {
      await record();
      return budget.view();
    },
  };
  return readings[answer.kind]();
}

function wire({ status = 200, headers = {}, payload, pages = [] }: Answer, nowMs: number) {
  return async ({ path }: HttpRequest): Promise<HttpResponse> => {
    const query = Object.fromEntries(new URL(path, "https://api.example.com").searchParams);
    const page = pages.find((each) => isLike(query, each.query));
    const isKnown = Object.keys(query).length === 0 || page !== undefined;
    const body = JSON.stringify(page ? page.payload : payload);
    return { status: isKnown ? status : 400, headers: timed(headers, nowMs), body: isKnown ? body : "{}" };
  };
}

/** Names of headers arrive in small letters; `$now+60` is a Unix time. */
function timed(headers: Readonly<Record<string, string>>, nowMs: number): Record<string, string> {
  const date = new Date(nowMs).toUTCString();
  const entries = Object.entries(headers).map(([name, value]) => {
    const [, delay] = /^\$now\+(\d+)$/.exec(value) ?? [];
    return [name.toLowerCase(), delay === undefined ? value : String(nowMs / 1000 + Number(delay))];
  });
  return { date, ...Object.fromEntries(entries) };
}

type Client = ReturnType<typeof createClient>;

const body = { name: "web", gpuType: "h100", replicas: 1, container: "example/server:1", env: {} };
const vias = {
  get: (client: Client, id: string) => client.getCluster(id),
  create: (client: Client, _id: string) => client.createCluster(body),
  scale: (client: Client, id: string) => client.scaleCluster(id, 3),
  stop: (client: Client, id: string) => client.stopCluster(id),
  restart: (client: Client, id: string) => client.restartCluster(id),
  redeploy: (client: Client, id: string) => client.redeployCluster(id),
};

function idIn(payload: unknown): string {
  const inner = isRecord(payload) ? Object.values(payload).filter(isRecord) : [];
  return [payload, ...inner].map((each) => isRecord(each) && each["id"]).find((id) => typeof id === "string") || "cl_1";
}

function shownCluster(record: ClusterRecord | undefined) {
  const envNames = record?.env && Object.keys(record.env).sort();
  return { ...record, state: stateOf(record?.status), ...(envNames ? { envNames } : {}) };
}

function shownStatus({ replicas, overall, ...rest }: StatusRecord) {
  const healthy = replicas.map((replica) => replica.healthy);
  const counts = { replicas: replicas.length, ready: healthy.filter(Boolean).length, healthy };
  return { ...rest, ...(overall === undefined ? counts : { overall }) };
}

function shownGpus({ gpus }: GpuList) {
  return { gpus };
}

function shownError(error: unknown) {
  if (!(error instanceof ApiError)) return { text: messageOf(error) };
  const { message: text, status: httpStatus, apiMessage: message, code, outcome } = error;
  return { text, httpStatus, message, code, outcome };
}

/** Whether a reading is as expected: all that `expect` names, and no other length of a list. */
export function isLike(reading: unknown, expected: unknown): boolean {
  if (expected === null) return reading === undefined || reading === null;
  if (Array.isArray(expected)) {
    const isList = Array.isArray(reading) && reading.length === expected.length;
    return isList && expected.every((item, index) => isLike(reading[index], item));
  }
  if (!isRecord(expected)) return Object.is(reading, expected);
  const { $any: any } = expected;
  if (Array.isArray(any)) return any.some((each) => isLike(reading, each));
  return isRecord(reading) && Object.entries(expected).every(([name, value]) => isLike(reading[name], value));
}
