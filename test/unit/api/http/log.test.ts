import { Redactor } from "../../../../provider/base/redact";
import type { RequestEntry } from "../../../../provider/base/requestLog";
import { VirtualClock } from "../../../support/virtualClock";
import { rateAnswer, requestOf } from "../fakes";
import { canary, failureOf, transportOver } from "./httpHarness";

test("the log has a line for each attempt: its wait, its time, what is left, and no word of the service", async () => {
  const clock = new VirtualClock();
  const lines: RequestEntry[] = [];
  const secret = "hf_abcdefgh1234";
  const body = JSON.stringify({ error: { code: "x", message: `bad ${secret} for ${canary}`, status: 400 } });
  const answers = [
    rateAnswer({ "retry-after": "20", "x-request-id": `id-${secret}` }, 429),
    { ...rateAnswer({ "x-ratelimit-remaining": "41" }, 400), body },
  ];
  const wire = async () => {
    await clock.sleep(80);
    return answers.shift() ?? rateAnswer();
  };
  const send = transportOver(wire, { clock, random: () => 0, log: (entry) => lines.push(entry) });
  const about = { path: "/v1/clusters/cl_1", route: "/v1/clusters/:id", subject: 'cluster "web" (cl_1)' };
  await clock.run(failureOf(send(requestOf("write", { ...about, redactor: new Redactor([secret]) }))));
  const common = { method: "PATCH", route: about.route, cluster: "cl_1", subject: about.subject, durationMs: 80 };
  expect(lines).toEqual([
    expect.objectContaining({ ...common, attempt: 1, status: 429, waitedMs: 0, requestId: "id-[secret]" }),
    expect.objectContaining({ ...common, attempt: 2, status: 400, waitedMs: 20_000, remaining: 41 }),
  ]);
  expect(lines[1]?.error).toBe("the service answered HTTP 400");
  expect(JSON.stringify(lines)).not.toMatch(/hf_|canary|bad/);
});
