import type { HttpResponse } from "../../../provider/api/http";
import { isErrorInSuccess, isRateLimited, readErrorBody } from "../../../provider/api/statusErrors";

const message = (json: unknown) => readErrorBody({ body: JSON.stringify(json), headers: {} }).message;

test.each<[string, unknown, string]>([
  [
    "the places that FastAPI names",
    { detail: [{ loc: ["body", "name"], msg: "Field required", type: "missing" }] },
    "body.name: Field required",
  ],
  [
    "each of several places",
    {
      detail: [
        { loc: ["body", "name"], msg: "Field required" },
        { loc: ["body", "env", 0], msg: "Bad" },
      ],
    },
    "body.name: Field required; body.env.0: Bad",
  ],
  [
    "the fields of a map in the envelope",
    { error: { code: "invalid", message: "Invalid.", status: 422, details: { name: "is required" } } },
    "Invalid.; name: is required",
  ],
  ["the fields of a map alone", { details: { name: "is required" } }, "name: is required"],
  ["the fields of a map of errors", { message: "Invalid", errors: { name: "is bad" } }, "Invalid; name: is bad"],
  ["a list of errors with fields", { errors: [{ field: "name", message: "is taken" }] }, "name: is taken"],
  ["a list of texts", { errors: ["Name is taken"] }, "Name is taken"],
])("a refusal says %s", (_what, json, expected) => {
  expect(message(json)).toBe(expected);
});

test("of very many fields only some are named", () => {
  const errors = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}`, "is bad"]));
  expect(message({ errors }).split("; ")).toHaveLength(5);
});

const documented = { code: "internal", message: "x", status: 500 };
test.each<[string, unknown]>([
  ["a flag that says so", { success: false, clusters: [] }],
  ["a flag that says so alone", { success: false }],
  ["the documented envelope beside a list", { error: documented, clusters: [] }],
  ["the documented envelope beside a record", { error: documented, id: "cl_1", name: "web" }],
  ["the documented envelope alone", { error: documented }],
  ["a text alone", { error: "no capacity" }],
  ["a text beside the id of the request", { error: "no capacity", request_id: "r-1" }],
  ["errors alone", { errors: [{ message: "x" }] }],
  ["a word that says so", { status: "error", error: "no capacity" }],
])("a success with %s is an error", (_what, json) => {
  expect(isErrorInSuccess(json)).toBe(true);
});

test.each<[string, unknown]>([
  ["why a cluster failed", { id: "cl_1", name: "web", status: "failed", error: "no capacity" }],
  ["why a cluster is not there yet", { id: "cl_1", status: "provisioning", error: "no capacity" }],
  ["no errors, in a map", { errors: {}, clusters: [] }],
  ["no errors, in a list", { errors: [], clusters: [] }],
  ["no error", { error: null, clusters: [] }],
  ["an empty error", { error: "", clusters: [] }],
  ["errors of a part, beside a list", { errors: [{ message: "one shard is down" }], clusters: [] }],
  ["a flag that says that it is one", { success: true, clusters: [] }],
  ["a list", []],
  ["nothing", undefined],
])("a success with %s is none", (_what, json) => {
  expect(isErrorInSuccess(json)).toBe(false);
});

test.each<[number, string, boolean]>([
  [429, "anything", true],
  [503, "rate_limited", true],
  [403, "rate_limited", true],
  [503, "TOO_MANY_REQUESTS", true],
  [403, "TOO_MANY_REQUESTS", true],
  [403, "RateLimitExceeded", true],
  [503, "ThrottlingException", true],
  [503, "unavailable", false],
  [403, "forbidden", false],
  [400, "rate_limited", false],
])("whether the status %d with the code %s means the rate limit", (status, code, expected) => {
  const bodies = [{ error: { code, message: "Slow down.", status } }, { code, message: "Slow down." }];
  for (const body of bodies) {
    const response: HttpResponse = { status, headers: {}, body: JSON.stringify(body) };
    expect(isRateLimited(response)).toBe(expected);
  }
});
