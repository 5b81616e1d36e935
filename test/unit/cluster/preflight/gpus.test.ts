import type { Properties } from "../../../../provider/contract";
import { type FixtureOptions, openFixture } from "../harness";
import { checked } from "../inputs";
import { checkOnce, checkTwice, listOf, old } from "./harness";

describe("several GPU types", () => {
  it("of a new cluster stay in the order of the program despite the stock", async () => {
    const news = listOf("rtx4090", "h200", "h100");
    const { fixture, inputs, refusals, said } = await checkOnce(news);
    expect(refusals).toEqual([]);
    expect(inputs).toMatchObject({ gpuType: "rtx4090", fallbackGpuTypes: ["h200", "h100"] });
    expect(fixture.countOf("GET /v1/gpus")).toBe(1);
    expect(said).toEqual([
      expect.stringMatching(/asks for 2 x rtx4090 at \S+ USD per hour, then for 2 x h200 at 3\.99 USD per hour, then/),
    ]);
  });

  it("become the type that the cluster has, without a request", async () => {
    const { fixture, inputs } = await checkOnce(listOf("h200", "h100"), old());
    expect(inputs["gpuType"]).toBe("h100");
    expect(fixture.simulator.requests).toEqual([]);
  });

  it("do not differ from the one that the cluster got", async () => {
    const fixture = await openFixture();
    const state = { ...old(), ...listOf("h100", "h100", "l4"), hourlyCost: 5.98 };
    const news = { ...listOf("h200", "h100", "l4"), replicas: 3, hourlyCost: 11.97 };
    const { changes } = await fixture.diff({ id: "cl_1", state }, news);
    expect(Object.keys(changes)).toEqual(["replicas", "hourlyCost"]);
  });
});

describe("a GPU type that the service does not list", () => {
  const refusal = (address: string) =>
    `gpuType: "h900" is not a GPU type that the service lists (GET /v1/gpus of ${address}, which may omit types that are sold out); it lists "a100-40gb", "a100-80gb", "h100", "h200", "l4", "l40s" and "rtx4090"`;

  it("fails the preview of a creation with the listed types and the address, after one list of types", async () => {
    const { fixture, refusals } = await checkOnce({ ...checked, gpuType: "h900" });
    expect(refusals).toEqual([refusal(fixture.simulator.url)]);
    expect(fixture.requestLines()).toEqual(["GET /v1/clusters", "GET /v1/gpus"]);
  });

  it.each<[string, Properties]>([
    ["is accepted while the cluster is scaled", { replicas: 1 }],
    ["is accepted as one of several", { gpuType: "h100", fallbackGpuTypes: ["h900"] }],
  ])("%s", async (_title, news) => {
    const fixture = await openFixture();
    const before = old({ gpuType: "h900" });
    for (const { refusals } of await checkTwice(fixture, { ...checked, gpuType: "h900", ...news }, before)) {
      expect(refusals).toEqual([]);
    }
    expect(fixture.countOf("GET /v1/gpus")).toBeLessThanOrEqual(1);
  });

  it("is a warning if the cluster can get another type, which is listed", async () => {
    const { fixture, refusals, said } = await checkOnce({ ...listOf("h900", "h100"), replicas: 500 });
    expect(refusals).toEqual([]);
    expect(said[0]).toMatch(
      /^warning: web: "h900" is not a GPU type .* The service decides whether it accepts the type$/,
    );
    const none = await checkOnce(listOf("h900", "h901"));
    expect(none.refusals).toEqual([
      refusal(none.fixture.simulator.url),
      expect.stringMatching(/^gpuType: "h901" is not/),
    ]);
    expect(fixture.requestLines()).not.toContain("POST /v1/clusters");
  });

  it.each<[string, FixtureOptions, RegExp]>([
    ["is a warning if the list is empty", { gpuTypes: [] }, /lists no GPU type at all/],
    [
      "is a warning if the list is incomplete",
      { faults: [{ kind: "body", body: '[{"type":"h100"},{"other":1}]', path: "/v1/gpus", times: 9 }] },
      /"h900" is not a GPU type that the service lists .* The service decides whether it accepts the type$/,
    ],
    [
      "is a warning if the list cannot be read",
      { faults: [{ kind: "status", status: 500, path: "/v1/gpus", times: 9 }] },
      /HTTP 500/,
    ],
  ])("%s", async (_title, options, why) => {
    const { refusals, said } = await checkOnce({ ...checked, gpuType: "h900" }, {}, options);
    expect(refusals).toEqual([]);
    expect(said.filter((line) => line.startsWith("warning: "))).toEqual([expect.stringMatching(why)]);
  });
});
