import { readHealth, readServiceInfo } from "../../../../provider/api/read/serviceRecords";

test.each([
  [{ status: "ok" }, true, "ok"],
  [{ status: "passing" }, true, "passing"],
  [{ status: "healthy" }, true, "healthy"],
  [{ status: "degraded" }, false, "degraded"],
  [{ status: "on fire" }, false, "on fire"],
  [{ healthy: false, status: "ok" }, false, "ok"],
  [{ healthy: true }, true, ""],
  [{}, true, ""],
])("the health %p is read", (json, healthy, status) => {
  expect(readHealth(json)).toEqual({ healthy, status, raw: json });
});

test.each([
  [{ name: "API", version: "1.0.0", documentation: "https://d", endpoints: { health: "GET /health" } }],
  [{ name: "API", endpoints: {} }],
])("the descriptor %p is read", (json) => {
  expect(readServiceInfo(json)).toEqual({ ...json, raw: json });
});

test("a descriptor that says nothing usable has no fields", () => {
  expect(readServiceInfo({ name: 1, version: null, endpoints: ["x"] })).toEqual({
    endpoints: {},
    raw: { name: 1, version: null, endpoints: ["x"] },
  });
});
