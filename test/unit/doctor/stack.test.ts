import type { FindStack } from "../../../provider/doctor/main";
import { canaries, environmentOf, openService, run } from "./harness";

/** test/engine/doctor.test.ts uses the real CLI. */

/** A stack whose config is this, even if another one is named. */
const stackWith =
  (config: Record<string, string>): FindStack =>
  async (name = "dev") => ({ name, readConfig: (key) => config[key] });
/** The output with its broken lines joined. */
const joined = (text: string) => text.replace(/\n {15}/g, " ");

describe("the doctor in a Pulumi project", () => {
  it("uses a variable for what the config lacks, and names one that is not used", async () => {
    const service = await openService();
    const env = { ...environmentOf(service), GPUCLUSTER_API_KEY: "sk-canary-of-another-user" };
    const { code, out } = await run([], env, stackWith({ "gpucluster:apiKey": canaries.key }));
    expect(code).toBe(0);
    expect(joined(out)).toContain("(GPUCLUSTER_BASE_URL of the environment)\n");
    expect(joined(out)).toContain(
      "then the environment. GPUCLUSTER_API_KEY of the environment is not used: gpucluster:apiKey of the stack has another value",
    );
    expect(out).not.toContain("canary");
  });

  it("refuses a wrong setting before any request", async () => {
    const { url, requests } = await openService();
    const config = { "gpucluster:baseUrl": url, "gpucluster:apiKey": canaries.key, "gpucluster:gpuTypeCheck": "yes" };
    const { code, err } = await run([], {}, stackWith(config));
    expect(code).toBe(1);
    expect(err).toMatch(/^pulumi-gpucluster: gpucluster:gpuTypeCheck must be .*\nConfig: the stack dev, then/);
    expect(requests).toEqual([]);
  });
});
