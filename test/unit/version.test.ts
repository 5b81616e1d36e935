import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/base/version";

test("the version in the code is the one of the package", () => {
  const text = readFileSync(join(__dirname, "../../package.json"), "utf8");
  expect(JSON.parse(text)).toMatchObject({ version });
});
