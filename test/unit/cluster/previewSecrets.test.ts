import type { Properties } from "../../../provider/core";
import { ApiError } from "../../../provider/errors";
import type { Fault } from "../../../simulator";
import { type Bench, type BenchOptions, closeAll, failureOf, openBench } from "./harness";
import { canary, checked } from "./inputs";

afterEach(closeAll);

const short = "h-42xy";
const replaced = "canary-old-0b1c2d";
const news: Properties = {
  ...checked,
  env: { MODEL: canary, PIN: short },
  extraFields: { token: "canary-extra-0123456789" },
};
const olds: Properties = { ...news, replicas: 1, env: { MODEL: replaced }, settled: true };
const quote = `not for ${canary}, ${btoa(canary)}, ${short}, canary-extra-0123456789 or ${replaced}`;
const hidden = "not for [secret], [secret], [secret], [secret] or [secret]";

/** All that a check shows to people. */
async function shownBy(bench: Bench, given = news, before?: Properties): Promise<string> {
  const { failures } = await bench.run(bench.cluster.check(bench.ctx(), given, before));
  return [...bench.said, ...failures.map(({ reason }) => reason)].join("\n");
}

const refusal = new ApiError(quote, {
  outcome: "rate-limited",
  method: "GET",
  path: "/v1/gpus",
  status: 429,
  isApiAnswer: true,
  said: quote,
});
const failing: Fault = { kind: "status", status: 422, message: quote, code: "bad_env", times: 99 };

describe("a secret of the program or of the state that the service quotes to a check", () => {
  it.each<[string, BenchOptions, RegExp]>([
    ["warning", {}, /^warning: .*could not be checked/m],
    ["failure", { settings: { strictPreview: true } }, /an error because of gpucluster:strictPreview/],
    ["failure of a key that is rejected", { faults: [{ ...failing, status: 401 }] }, /HTTP 401/],
  ])("is hidden in the %s, be it short or long", async (_what, options, text) => {
    const bench = await openBench({ faults: [failing], ...options });
    const shown = await shownBy(bench, news, olds);
    expect(shown).toMatch(text);
    expect(shown).toContain(hidden);
  });

  it("is hidden where the state of a cluster quotes it", async () => {
    const bench = await openBench({ dialect: "terse" });
    const { id } = bench.simulator.addCluster({ name: "theirs", gpuType: "h100", replicas: 2 });
    const record = { id, name: `of ${canary}`, gpu_type: "h100", status: "running", replicas: 2 };
    bench.simulator.fault({ kind: "body", path: "/v1/clusters/*", body: JSON.stringify(record), times: 9 });
    const { name: _name, ...given } = news;
    const shown = await shownBy(bench, { ...given, adopt: id });
    expect(shown).toContain(`adopts ${id} ("of [secret]"`);
  });

  it("is hidden where an operation makes up for the check", async () => {
    const refuse = () => Promise.reject(refusal);
    const client = () => ({ listGpuTypes: refuse, listGpuPricing: refuse });
    const bench = await openBench({ settings: { maxHourlyCost: 1 }, client });
    const { inputs } = await bench.run(bench.cluster.check(bench.ctx(), news));
    const { message } = await bench.run(failureOf(bench.cluster.create(bench.ctx(), inputs)));
    expect(message).toContain("`maxHourlyCost` cannot be checked: not for [secret], [secret], [secret], [secret] or");
  });
});

it("names and our own words stay as they are, even if they are values", async () => {
  const bench = await openBench({ faults: [{ ...failing, message: "no." }] });
  const env = { A: "could", B: "vllm/vllm-openai:v0.6.3", C: "h100" };
  const shown = await shownBy(bench, { ...checked, env, replicas: 0, gpuType: "h100" });
  expect(shown).toContain("must be a whole number from 1 to 10000, got 0");
  expect(await shownBy(bench, { ...checked, env })).toContain("could not be checked");
  expect(bench.said.join()).not.toContain("[secret]");
});
