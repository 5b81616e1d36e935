import { ConfigError } from "../../../provider/base/errors";
import type { FindStack } from "../../../provider/doctor/main";
import { canaries, environmentOf, openService, run } from "./harness";

/** A stack whose config is this, also if another one is named. */
const stackWith =
  (config: Record<string, string>): FindStack =>
  async (name = "dev") => ({ name, readConfig: (key) => config[key] });
const unreadable: FindStack = async () => {
  throw new ConfigError("The config of the stack is not read: no stack selected");
};

/** The output with its broken lines joined. */
const joined = (text: string) => text.replace(/\n {15}/g, " ");

describe("in a Pulumi project", () => {
  it("the config of the stack counts, and the sources are named, without the key", async () => {
    const { url } = await openService();
    const config = { "gpucluster:baseUrl": url, "gpucluster:apiKey": canaries.key };
    const { code, out } = await run([], {}, stackWith(config));
    expect(code).toBe(0);
    expect(joined(out)).toMatch(
      /^Config {9}the stack dev, then the environment\nAddress {8}http:\S+ \(gpucluster:baseUrl of the stack\)\nKey {12}gpucluster:apiKey of the stack\n/,
    );
    expect(out).not.toContain(canaries.key);
    expect(out).toMatch(/\n\nNext +Run `pulumi preview`: it sends reads only\.\n$/);
  });

  it("a variable fills in what the config lacks, and one that is not used is named", async () => {
    const service = await openService();
    const env = { ...environmentOf(service), GPUCLUSTER_API_KEY: "sk-canary-of-somebody-else" };
    const { code, out } = await run([], env, stackWith({ "gpucluster:apiKey": canaries.key }));
    expect(code).toBe(0);
    expect(joined(out)).toContain("(GPUCLUSTER_BASE_URL of the environment)\n");
    expect(joined(out)).toContain(
      "then the environment. GPUCLUSTER_API_KEY of the environment is not used: gpucluster:apiKey of the stack has another value",
    );
    expect(out).not.toContain("canary");
  });

  it("a wrong setting is an error before any request", async () => {
    const { url, requests } = await openService();
    const config = { "gpucluster:baseUrl": url, "gpucluster:apiKey": canaries.key, "gpucluster:gpuTypeCheck": "yes" };
    const { code, err } = await run([], {}, stackWith(config));
    expect(code).toBe(1);
    expect(err).toMatch(/^pulumi-gpucluster: gpucluster:gpuTypeCheck must be .*\nConfig: the stack dev, then/);
    expect(requests).toEqual([]);
  });

  it("a stack that cannot be read is one line, and the environment counts", async () => {
    const { code, out } = await run([], environmentOf(await openService()), unreadable);
    expect(code).toBe(0);
    expect(joined(out)).toMatch(
      /^Config +the environment\. The config of the stack is not read: no stack selected\nAddress/,
    );
  });

  it("one that was named is an error", async () => {
    const { code, out, err } = await run(["--stack", "prod"], environmentOf(await openService()), unreadable);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toBe(
      "pulumi-gpucluster: The config of the stack is not read: no stack selected.\nConfig: the stack prod.\n",
    );
  });
});
