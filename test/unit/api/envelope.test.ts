import { statusErrors } from "../../../provider/api/statusErrors";
import { Secret } from "../../../provider/text";
import { requestOf } from "./fakes";

const documented = { error: { code: "not_found", message: "No such cluster.", status: 404 } };
test.each([
  ["the documented shape", JSON.stringify(documented), true],
  ["the documented shape with more in it", JSON.stringify({ error: { ...documented.error, id: "x" }, ok: 0 }), true],
  ["nothing", "", false],
  ["a page", "<html>404</html>", false],
  ["a text", "404 page not found", false],
  ["null", "null", false],
  ["an empty object", "{}", false],
  ["a list of it", JSON.stringify([documented]), false],
  ["its fields at the top", JSON.stringify(documented.error), false],
  ["an error that is a text", '{"status":404,"error":"Not Found"}', false],
  ["an error that is a list", JSON.stringify({ error: [documented.error] }), false],
  ["an error with a message only", '{"error":{"message":"Not Found"}}', false],
  ["a detail", '{"detail":"Not Found"}', false],
  ["the shape of another vendor's gateway", '{"error":{"code":404,"message":"Not Found","status":"NOT_FOUND"}}', false],
])("whether %s is surely the API's own word is known", async (_what, body, isEnvelope) => {
  const response = { status: 404, headers: {}, body };
  const handled = statusErrors(new Secret("sk-canary-of-the-tests"))(async () => response)(requestOf());
  await expect(handled).rejects.toMatchObject({ status: 404, isEnvelope });
});
