import { http } from "../../../../provider/api/http/send";
import { ConnectionError, messageOf } from "../../../../provider/base/errors";
import { VirtualClock } from "../../../support/virtualClock";
import { requestOf } from "../fakes";
import { transportOver } from "./httpHarness";

let mockFailure: unknown;
// A real connection cannot produce such errors on purpose.
jest.mock("undici", () => ({
  ...jest.requireActual<object>("undici"),
  request: () => Promise.reject(mockFailure),
}));

function nodeError(code: string, syscall?: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { code, ...(syscall && { syscall }) });
}

test.each([
  ["ECONNREFUSED", "connect", "not-sent"],
  ["ENOTFOUND", "getaddrinfo", "not-sent"],
  ["UND_ERR_CONNECT_TIMEOUT", undefined, "not-sent"],
  ["ECONNREFUSED", "read", "ambiguous"],
  ["EHOSTUNREACH", undefined, "ambiguous"],
  ["ETIMEDOUT", "connect", "not-sent"],
  ["ENOBUFS", "connect", "not-sent"],
  ["ECONNRESET", "connect", "not-sent"],
  ["ECONNRESET", "read", "ambiguous"],
])("%s of the system call %s has the outcome %s", async (code, syscall, outcome) => {
  const alone = nodeError(code, syscall);
  for (const failure of [alone, new AggregateError([alone, alone])]) {
    mockFailure = failure;
    const error: unknown = await http("http://127.0.0.1")(requestOf("create")).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome, cause: { code } });
  }
});

test("a creation whose host cannot be reached at any of its addresses is sent again, and certainly made nothing", async () => {
  const addresses = [nodeError("ETIMEDOUT", "connect"), nodeError("ECONNREFUSED", "connect")];
  mockFailure = Object.assign(new AggregateError(addresses), { code: "ETIMEDOUT" });
  const clock = new VirtualClock();
  const send = transportOver(http("http://127.0.0.1"), { clock });
  const error: unknown = await clock.run(send(requestOf("create")).catch((reason: unknown) => reason));
  expect(error).toMatchObject({ outcome: "not-sent", maybeApplied: false, details: { attempts: 5 } });
  expect(messageOf(error)).toMatch(
    /the host did not answer in time \(ETIMEDOUT, 127\.0\.0\.1\) \(tried 5 times\)\. Check the address/,
  );
});
