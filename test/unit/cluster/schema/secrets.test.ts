import fc from "fast-check";
import { mapSecrets, secretsOf, withUnmanaged } from "../../../../provider/cluster/schema/state";
import type { Properties } from "../../../../provider/contract";

const wrap = (value: unknown) => ({ secret: value });
const mapped = (properties: Properties) => mapSecrets(properties, wrap);

describe("the secret values of a cluster", () => {
  it("include those that look like a credential, and no others", () => {
    const env = { MODEL: "llama-70b", HF_TOKEN: "x", DB: "postgres://u:p@h/db" };
    expect(mapped({ env })).toEqual({
      env: { MODEL: "llama-70b", HF_TOKEN: wrap("x"), DB: wrap("postgres://u:p@h/db") },
    });
  });

  it("include those that the program marks, one by one or with the map, whose names stay readable", () => {
    const env = { MODEL: "llama-70b", MODE: "fast" };
    expect(mapped({ env, __secrets: ["env.MODEL"] })["env"]).toEqual({ MODEL: wrap("llama-70b"), MODE: "fast" });
    expect(mapped({ env, __secrets: ["env"] })["env"]).toEqual({ MODEL: wrap("llama-70b"), MODE: wrap("fast") });
    expect(mapped({ env: { "A.B": "x" }, __secrets: ["env.A.B"] })["env"]).toEqual({ "A.B": wrap("x") });
  });

  it("include those at any depth of extraFields; an item of a list is judged by its value and the path of the list", () => {
    const extraFields = {
      tier: "secure",
      registry: { user: "me", password: "pw", ports: [80] },
      token: "5f",
      args: ["--api-key abc", "--port 80"],
      hosts: ["a", "b"],
    };
    expect(mapped({ extraFields, __secrets: ["extraFields.hosts"] })["extraFields"]).toEqual({
      tier: "secure",
      registry: { user: "me", password: wrap("pw"), ports: [80] },
      token: wrap("5f"),
      args: [wrap("--api-key abc"), "--port 80"],
      hosts: wrap(["a", "b"]),
    });
  });

  it("include every body of a probe, and its headers by the rule of env", () => {
    const headers = { Accept: "text/plain", Authorization: "Bearer abc" };
    const readinessProbe = { path: "/health", status: 200, headers, body: "ping" };
    expect(mapped({ readinessProbe })["readinessProbe"]).toEqual({
      path: "/health",
      status: 200,
      headers: { Accept: "text/plain", Authorization: wrap("Bearer abc") },
      body: wrap("ping"),
    });
  });

  it("include the outputs that the program declares", () => {
    const properties = { endpoint: "https://x", status: "running" };
    expect(mapped({ ...properties, __secrets: ["endpoint", "hourlyCost"] })).toMatchObject({
      endpoint: wrap("https://x"),
      status: "running",
    });
  });

  it("include the service's spelling of one, in the state and in messages", () => {
    const __observed = { container: "docker.io/a:1", registryCredentialId: "org/rc-1", env: ["HF_TOKEN"] };
    const state = { registryCredentialId: "rc-1", __observed, __secrets: ["registryCredentialId"] };
    expect(mapped(state)["__observed"]).toEqual({ ...__observed, registryCredentialId: wrap("org/rc-1") });
    expect(mapped({ ...state, __secrets: [] })["__observed"]).toEqual(__observed);
    expect(new Set(secretsOf(state))).toEqual(new Set(["rc-1", "org/rc-1"]));
  });

  it("are hidden in messages, even the part after the first word of a header", () => {
    const env = { GPU: "h100", HF_TOKEN: "abc-token" };
    const texts = secretsOf({ env, readinessProbe: { headers: { Authorization: "Bearer abc" } } });
    expect(new Set(texts)).toEqual(new Set(["abc-token", "Bearer abc", "abc"]));
  });

  it("change by nothing but their mark, and include every marked path", () => {
    const names: fc.Arbitrary<string> = fc.constantFrom("MODEL", "HF_TOKEN", "A.B", "MODE", "__proto__");
    const values = fc.oneof(fc.string(), fc.constantFrom("postgres://u:p@h", "llama"));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values)), fc.array(names), (entries, marked) => {
        const env = Object.fromEntries(entries);
        const __secrets = marked.map((name) => `env.${name}`);
        expect(mapSecrets({ env, __secrets }, (value) => value)).toEqual({ env, __secrets });
        const entriesOfEnv = Object.entries(Object(mapped({ env, __secrets })["env"]));
        for (const [name, value] of entriesOfEnv) if (marked.includes(name)) expect(value).toEqual(wrap(env[name]));
      }),
    );
  });
});

describe("unmanaged variables", () => {
  it("are secret, whatever they look like; a removed variable loses its mark", () => {
    const managed = { env: { MODEL: "a", OLD: "b" }, __secrets: ["env.OLD", "endpoint"] };
    expect(withUnmanaged(managed, { MODEL: "other", ADDED: "x" })).toEqual({
      env: { MODEL: "other", ADDED: "x" },
      __secrets: ["endpoint", "unmanaged.ADDED"],
    });
    expect(withUnmanaged({ env: { MODEL: "a" } }, { MODEL: "b" })).toEqual({
      env: { MODEL: "b" },
      __secrets: undefined,
    });
  });

  it("stay secret in the state until they are removed, and messages hide those that look like a credential", () => {
    const added = withUnmanaged({ env: { MODEL: "a" } }, { MODEL: "a", REGION: "eu-north", ADMIN_TOKEN: "hunter2" });
    expect(mapped(added)["env"]).toEqual({ MODEL: "a", REGION: wrap("eu-north"), ADMIN_TOKEN: wrap("hunter2") });
    expect(new Set(secretsOf(added))).toEqual(new Set(["hunter2"]));
    const { REGION, ...others } = added.env;
    expect(withUnmanaged(added, added.env)).toEqual(added);
    expect(withUnmanaged(added, others).__secrets).toEqual(["unmanaged.ADMIN_TOKEN"]);
  });
});
