import type { PreviewChecks } from "../../../../provider/config/settings";
import type { Properties } from "../../../../provider/contract";
import type { Fault } from "../../../../simulator";
import type { FixtureOptions } from "../harness";
import { checked } from "../inputs";
import { checkOnce, old } from "./harness";

type Result = "fails" | "warns";
interface Case {
  readonly news?: Properties;
  readonly olds?: Properties;
  readonly options?: FixtureOptions;
  readonly maxHourlyCost?: number;
}

const words = ["warn", "default", "strict"] as const satisfies readonly PreviewChecks[];
const noTypes: Fault = { kind: "status", status: 503, path: "/v1/gpus**", times: 999 };
const down: Fault = { ...noTypes, path: "/v1/**" };
const taken: FixtureOptions = {
  client: ({ listClusters }) => ({
    listClusters: async (...args) => {
      const list = await listClusters(...args);
      return { ...list, clusters: [{ id: "cl_1", name: "web", raw: {} }] };
    },
  }),
};
const unlisted = { gpuType: "h900" };
const listedToo = { ...unlisted, fallbackGpuTypes: ["h100"] };
const rejected: Fault = { ...down, status: 401, code: "unauthorized" };
const otherType: Case = { news: { gpuType: "l4" }, olds: old(), options: { faults: [noTypes] } };
const noPrice: Case = { maxHourlyCost: 99, options: { faults: [noTypes] } };
const fails = ["fails", "fails", "fails"] as const;

describe.each<[finding: string, situation: Case, right: RegExp, results: readonly Result[]]>([
  ["an invalid input", { news: { replicas: 0 } }, /must be a whole number/, fails],
  ["a cluster to adopt that is missing", { news: { adopt: "cl_9" } }, /cl_9 is not/, fails],
  ["a taken name", { options: taken }, /is already the name of/, fails],
  ["a cost above the limit", { maxHourlyCost: 1 }, /maxHourlyCost is 1/, fails],
  ["a limit whose price could not be read", noPrice, /maxHourlyCost cannot be checked/, fails],
  ["a rejected key", { options: { faults: [rejected] } }, /HTTP 401/, fails],
  ["a GPU type that is not listed", { news: unlisted }, /is not a GPU type/, ["warns", "fails", "fails"]],
  ["an unlisted GPU type beside a listed one", { news: listedToo }, /is not a GPU type/, ["warns", "warns", "warns"]],
  ["a change of the GPU type without a list", otherType, /may be another name of "h100"/, ["warns", "fails", "fails"]],
  ["a service that is down", { options: { faults: [down] } }, /could not be checked/, ["warns", "warns", "fails"]],
  ["missing stock", { news: { gpuType: "h200", replicas: 33 } }, /not enough GPUs/, ["warns", "warns", "fails"]],
])("in a preview, %s", (_finding, { news, olds, options, maxHourlyCost }, right, results) => {
  it.each(words.map((word, index) => [word, results[index]]))("under `%s` %s", async (previewChecks, result) => {
    const settings = { previewChecks, ...(maxHourlyCost === undefined ? {} : { maxHourlyCost }) };
    const { refusals, said } = await checkOnce({ ...checked, ...news }, olds, { ...options, settings });
    const warnings = said.filter((line) => line.startsWith("warning: "));
    if (result === "warns") {
      expect(refusals).toEqual([]);
      expect(warnings).toContainEqual(expect.stringMatching(right));
      return;
    }
    expect(refusals).toContainEqual(expect.stringMatching(right));
    expect(warnings.filter((line) => right.test(line))).toEqual([]);
    // A failure that only `strict` makes names its setting.
    const refusal = refusals.find((line) => right.test(line));
    expect(refusal?.includes("gpucluster:previewChecks is `strict`")).toBe(results[1] === "warns");
  });
});
