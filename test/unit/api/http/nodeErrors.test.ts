import { http } from "../../../../provider/api/http/send";
import { ConnectionError } from "../../../../provider/base/errors";
import { requestOf } from "../fakes";

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
  ["ECONNRESET", "connect", "ambiguous"],
])("%s of the system call %s has the outcome %s", async (code, syscall, outcome) => {
  const alone = nodeError(code, syscall);
  for (const failure of [alone, new AggregateError([alone, alone])]) {
    mockFailure = failure;
    const error: unknown = await http("http://127.0.0.1")(requestOf("create")).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome, cause: { code } });
  }
});
