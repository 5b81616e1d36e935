/**
 * A service in memory for the laws of an update: one cluster at a time, no HTTP, virtual time. It shares no code with the
 * simulator, and shows its truth: what it has stored, what each replica runs, and every rollout. Its semantics are a `Dialect`.
 */

import type { HttpRequest, HttpResponse } from "../../provider/api/http/send";
import type { Clock } from "../../provider/base/clock";
import { type Config, Replicas, type Trouble } from "./replicas";

export interface Dialect {
  /** How it is updated; `none` and `client` have no update, and only the client's variant says so before. */
  readonly method: "PATCH" | "PUT" | "POST" | "none" | "client";
  /** Whether the env of a body replaces the old one, or is merged by key; then null removes a variable. */
  readonly env: "whole" | "keys";
  readonly shows: "plain" | "masked" | "hidden";
  /** Whether it adds a variable of its own. */
  readonly injects: boolean;
  /** Whether an update begins a rollout, with new replicas or in the same ones; if not, only a redeploy does. */
  readonly rolls: "auto" | "inPlace" | "manual";
}

/** Values by path: `container`, `env.MODEL`, `extraFields.port`, `replicas`. */
export type Flat = Readonly<Record<string, unknown>>;

/** What is true of the cluster, whatever the service shows. */
export interface Truth {
  readonly id: string | undefined;
  readonly stored: Flat;
  /** What each replica runs. */
  readonly running: readonly Flat[];
  readonly isHealthy: boolean;
  /** What the replicas of a stopped cluster would run if it were only restarted. */
  readonly isStopped: boolean;
}

export interface Sent {
  readonly atMs: number;
  readonly kind: string;
  readonly line: string;
  readonly status: number | "lost";
  readonly isWrite: boolean;
}

interface Cluster {
  readonly id: string;
  readonly name: string;
  readonly gpuType: string;
  readonly createdAt: string;
  count: number;
  isStopped: boolean;
  stored: Config;
  /** What a start without a new configuration runs. */
  ran: Config;
  extras: Record<string, unknown>;
  readonly replicas: Replicas;
}

type Body = Record<string, unknown>;
type Reply = readonly [status: number, body: unknown];

const injected: Readonly<Record<string, string>> = { GPU_NODE: "node-7" };
const spec = {
  name: "name",
  gpuType: "gpu_type",
  replicas: "replicas",
  container: "container",
  env: "env",
  registryCredentialId: "registry_credential_id",
};
const client: typeof spec = {
  name: "name",
  gpuType: "gpuModelId",
  replicas: "replicaCount",
  container: "imageUrl",
  env: "envVars",
  registryCredentialId: "registryCredentialId",
};

export class Service {
  readonly sent: Sent[] = [];
  /** Why each rollout began: `update`, `redeploy`, `restart`, `start`. */
  readonly rollouts: string[] = [];
  /** The most clusters that existed at one time. */
  maxLiving = 0;
  readonly trouble: Trouble = { delayMs: 0, sickens: false };
  #clusters: Cluster[] = [];
  #serial = 0;
  readonly #names: typeof spec;

  constructor(
    readonly dialect: Dialect,
    private readonly clock: Clock,
  ) {
    this.#names = dialect.method === "client" ? client : spec;
  }

  /** Later rollouts are healthy; replicas that are sick stay so. */
  cure(): void {
    this.#cluster?.replicas.cure();
    Object.assign(this.trouble, { delayMs: 0, sickens: false, sick: undefined });
  }

  get #cluster(): Cluster | undefined {
    return this.#clusters.at(-1);
  }

  truth(): Truth {
    const cluster = this.#cluster;
    if (!cluster) return { id: undefined, stored: {}, running: [], isHealthy: false, isStopped: false };
    const power = { replicas: cluster.count, desiredStatus: cluster.isStopped ? "stopped" : "running" };
    const isHealthy = cluster.replicas.count === cluster.count && cluster.replicas.areHealthy;
    return {
      id: cluster.id,
      stored: { ...flatConfig(cluster.stored), ...prefixed("extraFields", cluster.extras), ...power },
      running: cluster.replicas.configs.map(flatConfig),
      isHealthy: cluster.isStopped || isHealthy,
      isStopped: cluster.isStopped,
    };
  }

  handle(request: HttpRequest, kind: string): HttpResponse {
    const [status, body] = this.#route(request, kind);
    this.note(request, kind, status);
    return { status, headers: {}, body: JSON.stringify(body) };
  }

  note({ method, path, body = "" }: HttpRequest, kind: string, status: Sent["status"]): void {
    const line = `${method} ${path.replace(/cl_\d+/, ":id")} ${body}`.trim();
    this.sent.push({ atMs: this.clock.now(), kind, line, status, isWrite: method !== "GET" });
  }

  #route({ method, path, body: json }: HttpRequest, kind: string): Reply {
    const body: Body = json === undefined ? {} : JSON.parse(json);
    const id = /cl_\d+/.exec(path)?.[0];
    if (kind === "list") return [200, this.#listed(this.#clusters.map((each) => this.#record(each)))];
    if (kind === "create") return [201, this.#record(this.#create(body))];
    if (kind === "gpus") return this.#gpus(path);
    const cluster = this.#clusters.find((each) => each.id === id);
    if (!cluster) return refusal(404, "not_found", "no such thing");
    if (kind === "get") return [200, this.#record(cluster)];
    if (kind === "status") return [200, { status: wordOf(cluster), replicas: cluster.replicas.status }];
    if (kind === "delete") {
      this.#clusters = this.#clusters.filter((each) => each !== cluster);
      return [200, {}];
    }
    if (kind === "update") return this.#update(cluster, method, body);
    return this.#act(cluster, kind, body);
  }

  #listed(records: readonly object[]): object {
    return this.#names === client ? { data: records } : { clusters: records };
  }

  #gpus(path: string): Reply {
    const gpu = { type: "h100", name: "h100", price_per_hour: 1, available: true };
    if (path === "/")
      return [200, { name: "gpus", version: "1.0.0", endpoints: { clusters: { list: "GET /v1/clusters" } } }];
    if (path.includes(":") || path.includes("/h100/")) return [200, gpu];
    if (this.#names === spec) return [200, { gpus: [gpu] }];
    return [200, { data: [{ gpuModelId: "h100", gpuModel: "h100", pricePerHour: 1, available: true }] }];
  }

  #create(body: Body): Cluster {
    const names = this.#names;
    this.#serial += 1;
    const { [names.name]: name, [names.gpuType]: gpuType, [names.replicas]: count, ...others } = body;
    const {
      [names.container]: container,
      [names.env]: env = {},
      [names.registryCredentialId]: credential,
      ...rest
    } = others;
    const { gpusPerReplica, ...extras } = rest;
    const stored = {
      container: String(container),
      env: env as Record<string, string>,
      registryCredentialId: credential as string | undefined,
    };
    const cluster: Cluster = {
      id: `cl_${this.#serial}`,
      name: String(name),
      gpuType: String(gpuType),
      createdAt: new Date(this.clock.now()).toISOString(),
      count: Number(count),
      isStopped: false,
      stored,
      ran: stored,
      extras,
      replicas: new Replicas(this.clock, this.trouble),
    };
    this.#clusters.push(cluster);
    this.maxLiving = Math.max(this.maxLiving, this.#clusters.length);
    this.#rollOut(cluster, stored);
    return cluster;
  }

  #update(cluster: Cluster, method: string, body: Body): Reply {
    const { dialect } = this;
    const names = this.#names;
    if (method !== dialect.method) return refusal(405, "method_not_allowed", "there is no such method");
    const { [names.container]: container, [names.env]: env, [names.replicas]: count, ...others } = body;
    const { [names.registryCredentialId]: credential, ...extras } = others;
    const variables = env as Record<string, string | null> | undefined;
    const hasNull = Object.values(variables ?? {}).includes(null);
    if (hasNull && dialect.env === "whole") return refusal(400, "invalid_env", "the values of env have to be strings");
    if (method === "PUT" && container === undefined) return refusal(400, "missing_field", "container is missing");
    const isWhole = method === "PUT";
    const old = cluster.stored;
    const kept = dialect.env === "keys" ? old.env : {};
    const merged = variables === undefined ? (isWhole ? {} : old.env) : { ...kept, ...variables };
    const next: Config = {
      container: container === undefined ? old.container : String(container),
      env: Object.fromEntries(
        Object.entries(merged).filter(
          (entry): entry is [string, string] => entry[1] !== null && injected[entry[0]] !== entry[1],
        ),
      ),
      registryCredentialId:
        credential === undefined && !isWhole ? old.registryCredentialId : (credential as string) || undefined,
    };
    cluster.extras = isWhole ? extras : { ...cluster.extras, ...extras };
    if (count !== undefined) this.#scale(cluster, Number(count));
    const isChanged = JSON.stringify(flatConfig(next)) !== JSON.stringify(flatConfig(old));
    cluster.stored = next;
    if (isChanged && dialect.rolls !== "manual" && !cluster.isStopped) this.#rollOut(cluster, next, "update");
    return [200, this.#record(cluster)];
  }

  #act(cluster: Cluster, kind: string, body: Body): Reply {
    if (kind === "scale") this.#scale(cluster, Number(body[this.#names.replicas]));
    if (kind === "stop") {
      cluster.isStopped = true;
      cluster.replicas.scale(0, cluster.ran);
    }
    if (kind === "redeploy" || kind === "restart") {
      const image = body[this.#names.container];
      if (image !== undefined) cluster.stored = { ...cluster.stored, container: String(image) };
      const takesStored = kind === "redeploy" || (cluster.isStopped && this.dialect.rolls !== "manual");
      const cause = cluster.isStopped ? "start" : kind;
      cluster.isStopped = false;
      this.#rollOut(cluster, takesStored ? cluster.stored : cluster.ran, cause);
    }
    return [200, this.#record(cluster)];
  }

  #scale(cluster: Cluster, count: number): void {
    cluster.count = count;
    if (!cluster.isStopped) cluster.replicas.scale(count, cluster.ran);
  }

  #rollOut(cluster: Cluster, config: Config, cause?: string): void {
    if (cause) this.rollouts.push(cause);
    cluster.ran = config;
    cluster.replicas.rollOut(config, cluster.count, this.dialect.rolls === "inPlace");
  }

  #record(cluster: Cluster): Body {
    const { shows, injects } = this.dialect;
    const names = this.#names;
    const env = { ...cluster.stored.env, ...(injects ? injected : {}) };
    const masked = Object.fromEntries(Object.keys(env).map((name) => [name, "***"]));
    return {
      id: cluster.id,
      status: wordOf(cluster),
      endpoint: `https://${cluster.name}.example.com`,
      created_at: cluster.createdAt,
      [names.name]: cluster.name,
      [names.gpuType]: cluster.gpuType,
      [names.replicas]: cluster.count,
      [names.container]: cluster.stored.container,
      [names.registryCredentialId]: cluster.stored.registryCredentialId,
      ...(shows === "hidden" ? {} : { [names.env]: shows === "plain" ? env : masked }),
      ...cluster.extras,
    };
  }

  /** What another user does in the dashboard: it takes effect at once, as far as the cluster runs. */
  asOther(act: (cluster: OtherUser) => void): void {
    const cluster = this.#cluster;
    if (!cluster) return;
    const config = { ...cluster.stored, env: { ...cluster.stored.env } };
    const other: OtherUser = {
      config,
      extras: cluster.extras,
      replicas: cluster.count,
      isStopped: cluster.isStopped,
      sick: 0,
    };
    act(other);
    const isChanged = JSON.stringify(config) !== JSON.stringify(cluster.stored);
    cluster.stored = config;
    if (isChanged && !cluster.isStopped) this.#rollOut(cluster, config);
    if (other.replicas !== cluster.count) this.#scale(cluster, other.replicas);
    if (other.isStopped !== cluster.isStopped) this.#act(cluster, "stop", {});
    if (other.sick > 0) cluster.replicas.sicken(other.sick);
  }

  /** A cluster that another user has made. */
  make(body: Body): string {
    return this.#create(body).id;
  }

  /** The names of the fields of bodies. */
  get names(): typeof spec {
    return this.#names;
  }
}

export interface OtherUser {
  readonly config: { container: string; registryCredentialId?: string | undefined; env: Record<string, string> };
  readonly extras: Record<string, unknown>;
  replicas: number;
  isStopped: boolean;
  /** The number of replicas that get sick. */
  sick: number;
}

function wordOf({ isStopped, replicas }: Cluster): string {
  return isStopped ? "stopped" : replicas.word;
}

export function kindOf({ method, path }: Pick<HttpRequest, "method" | "path">): string {
  const [, action] = /^\/v1\/clusters\/[^/]+\/(\w+)/.exec(path) ?? [];
  if (action) return action;
  if (path.startsWith("/v1/clusters/")) return method === "GET" ? "get" : method === "DELETE" ? "delete" : "update";
  if (path.startsWith("/v1/clusters")) return method === "GET" ? "list" : "create";
  return "gpus";
}

export function refusal(status: number, code: string, message: string): Reply {
  return [status, { error: { code, message, status } }];
}

function flatConfig({ container, registryCredentialId, env }: Config): Flat {
  return { container, ...(registryCredentialId ? { registryCredentialId } : {}), ...prefixed("env", env) };
}

export function prefixed(name: string, map: Readonly<Record<string, unknown>> = {}): Flat {
  const sorted = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, value]) => [`${name}.${key}`, value]));
}
