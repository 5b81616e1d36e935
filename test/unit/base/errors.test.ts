import { inspect } from "node:util";
import { ApiError, briefOf, ClusterFailedError, UncertainError } from "../../../provider/base/errors";
import { Redactor } from "../../../provider/base/redact";

const request = { method: "POST", path: "/v1/clusters?page=2", outcome: "refused", subject: 'cluster "web"' } as const;
const refusal = { ...request, status: 409, isApiAnswer: true, code: "conflict", apiMessage: "No" } as const;

it("the error of a request has a message of all its data, whenever they were found out", () => {
  const error = new ApiError("No (conflict, HTTP 409)", { ...refusal, advice: ["Wait"] });
  const last = error.with({ attempts: 5, hitDeadline: true, advice: ["Try again"] });
  const end = "No (conflict, HTTP 409); its time limit is reached (tried 5 times). Wait. Try again";
  expect(last.message).toBe(`POST /v1/clusters for cluster "web": ${end}`);
  expect(briefOf(last)).toBe(`POST /v1/clusters: ${end}`);
});

it("a redacted error holds a secret in none of its strings, nor in those of its causes", () => {
  const details = { advice: ["adopt s3cret-0123"], explanations: ["fact s3cret-0123"] };
  const cause = new ClusterFailedError("it is s3cret-0123", { ...details, cause: new TypeError("s3cret-0123") });
  const error = new UncertainError("cluster s3cret-0123", { ...details, cause });
  const redactor = new Redactor().learn(["s3cret-0123"]);
  for (const hidden of [redactor.incoming(error), redactor.outgoing(error)]) {
    expect(inspect(hidden, { depth: 9, showHidden: true })).not.toContain("s3cret-0123");
    expect(hidden).toMatchObject({ details: { explanations: ["fact [secret]"] } });
    expect(hidden).toMatchObject({ message: "cluster [secret]. adopt [secret]", cause: { reason: "it is [secret]" } });
  }
});
