import fc from "fast-check";
import { mapSecrets, secretsOf, withOthers } from "../../../../provider/cluster/schema/secrets";
import type { Properties } from "../../../../provider/contract";

const wrap = (value: unknown) => ({ secret: value });
const mapped = (properties: Properties) => mapSecrets(properties, wrap);

describe("the values of a cluster that are secret", () => {
  it("are those that look like a credential; all others stay readable", () => {
    const env = { MODEL: "llama-70b", HF_TOKEN: "x", DB: "postgres://u:p@h/db" };
    expect(mapped({ env })).toEqual({
      env: { MODEL: "llama-70b", HF_TOKEN: wrap("x"), DB: wrap("postgres://u:p@h/db") },
    });
  });

  it("are those that the program marks, alone or with the whole map, whose names stay readable", () => {
    const env = { MODEL: "llama-70b", MODE: "fast" };
    expect(mapped({ env, __secrets: ["env.MODEL"] })["env"]).toEqual({ MODEL: wrap("llama-70b"), MODE: "fast" });
    expect(mapped({ env, __secrets: ["env"] })["env"]).toEqual({ MODEL: wrap("llama-70b"), MODE: wrap("fast") });
    expect(mapped({ env: { "A.B": "x" }, __secrets: ["env.A.B"] })["env"]).toEqual({ "A.B": wrap("x") });
  });

  it("are judged at every depth of extraFields, in lists by the value and the path of the list", () => {
    const extraFields = {
      tier: "secure",
      registry: { user: "me", password: "pw", ports: [80] },
      token: 5,
      args: ["--api-key abc", "--port 80"],
      hosts: ["a", "b"],
    };
    expect(mapped({ extraFields, __secrets: ["extraFields.hosts"] })["extraFields"]).toEqual({
      tier: "secure",
      registry: { user: "me", password: wrap("pw"), ports: [80] },
      token: wrap(5),
      args: [wrap("--api-key abc"), "--port 80"],
      hosts: wrap(["a", "b"]),
    });
  });

  it("are the body of a probe, always, and its headers by the same rule", () => {
    const headers = { Accept: "text/plain", Authorization: "Bearer abc" };
    const readinessProbe = { path: "/health", status: 200, headers, body: "ping" };
    expect(mapped({ readinessProbe })["readinessProbe"]).toEqual({
      path: "/health",
      status: 200,
      headers: { Accept: "text/plain", Authorization: wrap("Bearer abc") },
      body: wrap("ping"),
    });
  });

  it("are the outputs that the program declares", () => {
    const properties = { endpoint: "https://x", status: "running" };
    expect(mapped({ ...properties, __secrets: ["endpoint", "hourlyCost"] })).toMatchObject({
      endpoint: wrap("https://x"),
      status: "running",
    });
  });

  it("are hidden in texts, the part after the first word of a header too; values in the open are not", () => {
    const env = { GPU: "h100", HF_TOKEN: "abc-token" };
    const texts = secretsOf({ env, readinessProbe: { headers: { Authorization: "Bearer abc" } } });
    expect(new Set(texts)).toEqual(new Set(["abc-token", "Bearer abc", "abc"]));
  });

  it("law: no value changes but by its mark, and a marked path is never in the open", () => {
    const names: fc.Arbitrary<string> = fc.constantFrom("MODEL", "HF_TOKEN", "A.B", "MODE", "__proto__");
    const values = fc.oneof(fc.string(), fc.constantFrom("postgres://u:p@h", "llama"));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, values)), fc.array(names), (entries, marked) => {
        const env = Object.fromEntries(entries);
        const __secrets = marked.map((name) => `env.${name}`);
        expect(mapSecrets({ env, __secrets }, (value) => value)).toEqual({ env, __secrets });
        const shown = Object.entries(Object(mapped({ env, __secrets })["env"]));
        for (const [name, value] of shown) if (marked.includes(name)) expect(value).toEqual(wrap(env[name]));
      }),
    );
  });
});

describe("variables that the program did not give", () => {
  it("are secret, whatever they look like; those that are gone are no longer named", () => {
    const given = { env: { MODEL: "a", OLD: "b" }, __secrets: ["env.OLD", "endpoint"] };
    expect(withOthers(given, { MODEL: "other", ADDED: "x" })).toEqual({
      env: { MODEL: "other", ADDED: "x" },
      __secrets: ["endpoint", "env.ADDED"],
    });
    expect(withOthers({ env: { MODEL: "a" } }, { MODEL: "b" })).toEqual({ env: { MODEL: "b" }, __secrets: undefined });
  });
});
