import { getHealth } from "../../../provider/api/serviceInfo";
import type { Fault } from "../../../simulator";
import { closeAll, failureOf, openBench } from "../cluster/harness";

afterEach(closeAll);

const health = async (...faults: Fault[]) => {
  const bench = await openBench({ faults });
  return bench.run(getHealth(bench.client));
};

describe("the health of the service", () => {
  it("is healthy when it says so", async () => {
    expect(await health()).toMatchObject({ healthy: true, raw: expect.any(Object) });
  });

  it.each<[string, boolean, string]>([
    ['{"status":"ok"}', true, "ok"],
    ['{"status":"OK"}', true, "OK"],
    ['{"status":"passing"}', true, "passing"],
    ['{"healthy":true}', true, ""],
    ["{}", true, ""],
    ['{"status":"degraded"}', false, "degraded"],
    ['{"status":"down"}', false, "down"],
    ['{"healthy":false}', false, ""],
    ['{"healthy":false,"status":"ok"}', false, "ok"],
    ['{"healthy":true,"status":"degraded"}', true, "degraded"],
  ])("by the answer %s is %s, in the service's own word %j", async (body, healthy, status) => {
    expect(await health({ kind: "body", body })).toEqual({ healthy, status, raw: JSON.parse(body) });
  });

  it.each([500, 503])("is unhealthy, and no error, when the service answers %d for good", async (status) => {
    expect(await health({ kind: "status", status, times: 100 })).toEqual({
      healthy: false,
      status: `HTTP ${status}`,
      raw: {},
    });
  });

  it("is asked for once more after one 503", async () => {
    expect(await health({ kind: "status", status: 503 })).toMatchObject({ healthy: true });
  });

  it.each<[string, Fault, RegExp]>([
    ["nobody answers", { kind: "drop", times: 100 }, /the connection broke/],
    ["some proxy answers", { kind: "html", status: 502, times: 100 }, /web page/],
    ["the key is refused", { kind: "status", status: 401 }, /HTTP 401/],
    ["the path is not there", { kind: "status", status: 404 }, /HTTP 404/],
  ])("is an error when %s", async (_title, fault, text) => {
    const bench = await openBench({ faults: [fault] });
    expect((await bench.run(failureOf(getHealth(bench.client)))).message).toMatch(text);
  });
});
