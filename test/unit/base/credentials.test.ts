import { looksSecret } from "../../../provider/base/credentials";

/** Values that look like those of real keys, and are none. */
const letters = "0123456789abcdefghij";

describe("a name of a credential", () => {
  it.each([
    ...["HF_TOKEN", "hfToken", "APIKEY", "X-Api-Key", "API_KEYS", "Authorization", "AWS_SECRET_ACCESS_KEY"],
    ...["PGPASSWORD", "MYSQL_PWD", "REDIS_PASS", "SSH_PASSPHRASE", "GOOGLE_APPLICATION_CREDENTIALS"],
    ...["BASIC_AUTH", "SIGNING_PRIVATE", "TLS_CERT", "SENTRY_DSN", "sessionCookie", "X_SIGNATURE"],
  ])("is found: %s", (name) => {
    expect(looksSecret(name, "pla1n-value")).toBe(true);
  });

  it.each([
    ...["MODEL", "MAX_TOKENS", "TOKENIZER", "PASSTHROUGH", "AUTHOR", "CERTAINTY", "KEYSPACE", "COMPASS", "SIGNAL", ""],
  ])("is not every name: %s", (name) => {
    expect(looksSecret(name, "pla1n-value")).toBe(false);
  });

  it("hides every value that can be a credential", () => {
    for (const value of ["word", "hunter2", 12345678, ["a"], { a: 1 }, "/Zq7K/Wv93"])
      expect(looksSecret("TOKEN", value)).toBe(true);
    for (const value of ["4711", "swordfish", 4711]) expect(looksSecret("PGPASSWORD", value)).toBe(true);
    for (const value of ["user:secret", "abcd-efgh-ijkl-mnop", "k3yk3yk3"])
      expect(looksSecret("AUTH", value)).toBe(true);
    for (const name of ["apiKey", "X-Api-Key", "API_KEYS", "ACCESS_KEY_ID"])
      expect(looksSecret(name, "word")).toBe(true);
  });

  it.each([
    ["TOKEN", ["", "none", "4096", 4096, true, "/run/secrets/token", "~/.token"]],
    ["PASSWORD_FILE", ["/run/secrets/db_password", "../password"]],
    ["PARTITION_KEY", ["customer_id", "createdAt", "orders.id", "v2", 7]],
    ["AUTH_MODE", ["oidc", "oauth2", "disabled", false]],
  ])("hides no value that cannot be a credential: %s", (name, values) => {
    for (const value of values) expect([value, looksSecret(name, value)]).toEqual([value, false]);
  });

  it("hides what looks like a credential all the same", () => {
    expect(looksSecret("AUTH_MODE", "Bearer a")).toBe(true);
  });
});

describe("a value that is or holds a credential", () => {
  it.each([
    ["a password in a URL", "postgres://user:pw@db.example.com:5432/app"],
    ["a user alone, which may be a token", "https://x-access@git.example.com/a.git"],
    ["a key in PEM", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz"],
    ["a JSON web token", "eyJhbGciOiJIUzI1NiJ9.e30.sig"],
    ["a header", "Bearer abc"],
    ...["hf_", "sk-", "sk-proj-", "ghp_", "github_pat_", "glpat-", "AKIA", "AIza", "xoxb-", "nvapi-", "or_"].map(
      (prefix): [string, string] => [`a key that begins with ${prefix}`, `${prefix}${letters}`],
    ),
    ["a key inside a command", `serve --hf hf_${letters}`],
    ["an option of a command", "serve --api-key abc --port 8000"],
    ["a part of a connection string", "Server=db;User=me;Password=pw"],
    ["a part of a query", "https://files.example.com/model?token=abc"],
    ["a signature in a query", "https://files.example.com/model?X-Amz-Signature=abc"],
    ["a part of JSON", '{"user": "me", "api_key": "abc"}'],
  ])("is found: %s", (_what, value) => {
    expect(looksSecret("MODEL", value)).toBe(true);
  });

  it.each([
    "meta-llama/Llama-3.1-70B-Instruct",
    "hidden_size=4096",
    "--max-model-len 8192 --tensor-parallel-size 8",
    "https://example.com/v1/models?limit=5",
    "user@example.com",
    "sk-learn",
    '{"dtype": "bfloat16", "max_tokens": 512}',
    "",
  ])("is not every value: %s", (value) => {
    expect(looksSecret("MODEL", value)).toBe(false);
  });
});

it("is judged in a moment, however long the value is; what is longer than any variable is hidden", () => {
  const texts = ["a", "a ", "-", "aaaaaaaaa://", "a="];
  const startMs = performance.now();
  for (const text of texts) expect(looksSecret("MODEL", text.repeat(131_072 / text.length))).toBe(false);
  for (const text of texts) expect(looksSecret("MODEL", text.repeat(5_000_000))).toBe(true);
  // A search that begins anew at each letter takes minutes.
  expect(performance.now() - startMs).toBeLessThan(5_000);
});
