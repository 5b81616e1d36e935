import { resolveConnection } from "../../../provider/config";
import { ConfigError } from "../../../provider/errors";

test.each([
  "https://api.example.com?",
  "https://api.example.com#",
  "https://api.example.com/?",
  "https://api.example.com/#",
  "https://api.example.com/gpu?",
  "https://api.example.com/gpu#",
  "https://api.example.com?#",
])("the address %s, whose path would be taken for a query or a fragment, is refused", (url) => {
  const env = { GPUCLUSTER_API_KEY: "key", GPUCLUSTER_BASE_URL: url };
  expect(() => resolveConnection(() => undefined, env)).toThrow(ConfigError);
  expect(() => resolveConnection(() => undefined, env)).toThrow("must not contain a query or a fragment");
});
