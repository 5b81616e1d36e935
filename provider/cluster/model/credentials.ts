/**
 * What looks like a credential, by its name or by its value. This is the only place that decides it: state, previews, messages
 * and errors follow. Names of variables, of headers and of fields are read by the same table. Pure.
 */

/**
 * Words that make a name that of a credential: `HF_TOKEN`, `apiKey`, `X-Api-Key`. Not `TOKENS`: `MAX_TOKENS` is a usual
 * setting of a language model.
 */
const words = new Set([
  ...["KEY", "KEYS", "TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS"],
  ...["PASS", "PASSWD", "PWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS"],
  // The headers `Authorization`, `Proxy-Authorization` and `Cookie`; `AUTH` also stands in names of variables.
  ...["AUTH", "AUTHORIZATION", "COOKIE"],
  ...["PRIVATE", "CERT"],
  // A data source name holds the password of a database. A signature in a URL gives access to what the URL names.
  ...["DSN", "SIGNATURE", "SIG"],
]);

/** Ends of names that are written as one word: `APIKEY`, `hftoken`. */
const ends = /(KEY|TOKEN|SECRET|PASSWORD)$/i;

/** A value that is a credential, or holds one, whatever its name is. */
const values: readonly RegExp[] = [
  // A user or a password in a URL: `postgres://user:pw@host`.
  /:\/\/[^/\s@]+@/,
  // A key or a certificate in PEM.
  /-----BEGIN /,
  // The header of a JSON web token: `{"` in base64.
  /\beyJ[\w-]{8,}/,
  // The value of a header `Authorization`.
  /^(Bearer|Basic) \S/i,
  // Prefixes that providers document for their keys: Hugging Face, OpenAI and its like, GitHub, GitLab, AWS, Google, Slack,
  // NVIDIA, npm, Docker, and this service. The shortest of these keys has 16 characters after its prefix (AWS).
  /\b(hf_|sk-|gh[opsu]_|github_pat_|glpat-|A[KS]IA|AIza|xox[abeprs]-|nvapi-|npm_|dckr_pat_|or_)[\w-]{16}/,
];

/**
 * Names inside a value: `--api-key …`, `password=…`, `"token": …`. Each word is tried once, from its beginning: a value has up
 * to 128 KiB.
 */
const namesIn = /(?<![\w.-])(?:--([\w-]+)|([\w.-]+)["']?\s{0,4}[:=])/g;

/** The limit of a variable is 128 KiB. A longer text, which a check refuses, is hidden without a search. */
const longestSearched = 128 * 1024;

/** Whether a value has to be hidden, because its name or the value itself looks like a credential. */
export function looksSecret(name: string, value: unknown): boolean {
  if (isCredentialName(name)) return true;
  if (typeof value !== "string") return false;
  if (value.length > longestSearched) return true;
  if (values.some((form) => form.test(value))) return true;
  return [...value.matchAll(namesIn)].some(([, flag, field]) => isCredentialName(flag ?? field ?? ""));
}

function isCredentialName(name: string): boolean {
  const parts = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").split(/[^A-Za-z\d]+/);
  return ends.test(name) || parts.some((part) => words.has(part.toUpperCase()));
}
