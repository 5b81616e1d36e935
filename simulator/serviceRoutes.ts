import type { Dialect, PerValue } from "./dialectOptions";
import { isRecord } from "./fields";
import type { Service } from "./fleet";
import type { Route } from "./router";

/** The routes of health and descriptor. */
export function serviceRoutes({ dialect }: Service): Route[] {
  const endpoints = descriptors[dialect.descriptor](dialect);
  const descriptor: Route = {
    method: "GET",
    path: "/",
    run: () => ({ status: 200, body: { ...about, endpoints } }),
  };
  return [
    { method: "GET", path: "/health", run: () => ({ status: 200, body: { status: "ok" } }) },
    ...(endpoints ? [descriptor] : []),
  ];
}

/** The existing endpoints; `all` contains those of the specification and the descriptor. */
export function served(all: readonly Route[], { form }: Dialect): readonly Route[] {
  const named = servedLines[form];
  return all.filter(({ method, path }) => path === "/" || (named?.has(`${method} ${path}`) ?? true));
}

const about = {
  name: "GPU Cluster Management API",
  version: "1.0.0",
  documentation: "https://docs.example.com/gpu-clusters",
};

const clusters = {
  list: "GET /v1/clusters",
  get: "GET /v1/clusters/:id",
  create: "POST /v1/clusters",
  terminate: "DELETE /v1/clusters/:id",
  stop: "POST /v1/clusters/:id/stop",
  restart: "POST /v1/clusters/:id/restart",
  scale: "POST /v1/clusters/:id/scale",
  redeploy: "POST /v1/clusters/:id/redeploy",
};

const described = {
  health: "GET /health",
  gpus: {
    models: "GET /v1/gpus/models",
    availability: "GET /v1/gpus/availability",
    pricing: "GET /v1/gpus/pricing",
  },
  clusters,
};

const descriptors: PerValue<"descriptor", (dialect: Dialect) => object | undefined> = {
  true: () => described,
  lying: ({ updateMethod }) => {
    const { scale: _scale, ...named } = clusters;
    const update = `${updateMethod === "PATCH" ? "PUT" : "PATCH"} /v1/clusters/:id`;
    return { ...described, clusters: { ...named, update, status: "GET /v1/clusters/:id/status" } };
  },
  absent: () => undefined,
};

const servedLines: PerValue<"form", ReadonlySet<unknown> | undefined> = {
  specification: undefined,
  client: new Set(linesOf(described)),
};

function linesOf(endpoints: object): unknown[] {
  return Object.values(endpoints).flatMap((entry) => (isRecord(entry) ? linesOf(entry) : [entry]));
}
