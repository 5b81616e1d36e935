/** What is wrong with the address of a service, as the end of a sentence; `undefined` where nothing is. */
export function problemOfUrl(url: string): string | undefined {
  if (!isPlainUrl(url)) return "is not a URL; it has the form https://api.example.com";
  return urlRules.find(({ broken }) => broken(new URL(url), url))?.text;
}

/** The one form of an address that `problemOfUrl` finds right: without a slash at its end, its host in small letters. */
export function normalizeUrl(url: string): string {
  return new URL(url).href.replace(/\/+$/, "");
}

/** `new URL` mends and drops much; what it would change is a mistake of somebody's. */
function isPlainUrl(url: string): boolean {
  return !/[^\x21-\x7e]|[\\<>{}^`|"]|\/\.{1,2}(\/|$)/.test(url) && URL.canParse(url);
}

const urlRules: readonly { broken(url: URL, text: string): boolean; text: string }[] = [
  { broken: (_url, text) => !/^https?:\/\/[^/]/i.test(text), text: "must begin with https://" },
  {
    broken: (url) => url.protocol === "http:" && !isLoopback(url.hostname),
    text: "must begin with https://, for the API key would be readable on its way; http:// is for this machine only",
  },
  { broken: (url) => url.username + url.password !== "", text: "must not hold a user name or a password" },
  { broken: (_url, text) => /[?#]/.test(text), text: "must not hold a query or a fragment" },
  {
    broken: (url) => /\/v1(\/|$)/i.test(url.pathname),
    text: "must end before /v1: the paths of the API begin with it",
  },
];

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}
