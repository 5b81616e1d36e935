import type { Route } from "./router";

/** The routes of health and descriptor. */
export const serviceRoutes: readonly Route[] = [
  { method: "GET", path: "/health", run: () => ({ status: 200, body: { status: "ok" } }) },
  { method: "GET", path: "/", run: () => ({ status: 200, body: descriptor }) },
];

const descriptor = {
  name: "GPU Cluster Management API",
  version: "1.0.0",
  documentation: "https://docs.example.com/gpu-clusters",
  endpoints: {
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
  },
};
