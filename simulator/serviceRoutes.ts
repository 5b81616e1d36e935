import type { Dialect, PerValue } from "./dialectOptions";
import { isRecord } from "./fields";
import type { Route } from "./router";

/** The routes of health and descriptor. */
export function serviceRoutes(): Route[] {
  return [
    { method: "GET", path: "/health", run: () => ({ status: 200, body: { status: "ok" } }) },
    { method: "GET", path: "/", run: () => ({ status: 200, body: { ...about, endpoints: described } }) },
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

const described = {
  health: "GET /health",
  gpus: {
    models: "GET /v1/gpus/models",
    availability: "GET /v1/gpus/availability",
    pricing: "GET /v1/gpus/pricing",
  },
  clusters: {
    list: "GET /v1/clusters",
    get: "GET /v1/clusters/:id",
    create: "POST /v1/clusters",
    terminate: "DELETE /v1/clusters/:id",
    stop: "POST /v1/clusters/:id/stop",
    restart: "POST /v1/clusters/:id/restart",
    scale: "POST /v1/clusters/:id/scale",
    redeploy: "POST /v1/clusters/:id/redeploy",
  },
};

const servedLines: PerValue<"form", ReadonlySet<unknown> | undefined> = {
  specification: undefined,
  client: new Set(linesOf(described)),
};

function linesOf(endpoints: object): unknown[] {
  return Object.values(endpoints).flatMap((entry) => (isRecord(entry) ? linesOf(entry) : [entry]));
}
