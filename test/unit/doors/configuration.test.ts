import { withSecretKeys } from "../../../provider/doors/plugin/configuration";
import { asSecret } from "../../../provider/doors/secrets";

test.each(["apiKey", "euApiKey"])("a setting that may be a key is a secret: %s", (name) => {
  expect(withSecretKeys({ [name]: "canary" })).toEqual({ [name]: asSecret("canary") });
});

test.each(["baseUrl", "strictPreview", "version"])("a setting that is no key stays as it is: %s", (name) => {
  expect(withSecretKeys({ [name]: "text" })).toEqual({ [name]: "text" });
});
