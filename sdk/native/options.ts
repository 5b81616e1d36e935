import { version } from "../../provider/version";

/** Options that ask for the plugin of this package's own version: another one may not know what this one sends. */
export function withVersion<Options extends object>(options?: Options) {
  return { version, ...options };
}
