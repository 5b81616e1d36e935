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

const address = "Check the address of the service, gpucluster:baseUrl or GPUCLUSTER_BASE_URL";
const authority = "Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of that authority";
const untrusted = "the certificate of the host is from an authority that is not trusted";

test.each<[code: string, cause: string, advice: string]>([
  ["SELF_SIGNED_CERT_IN_CHAIN", untrusted, authority],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted, authority],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted, authority],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", untrusted, authority],
  [
    "CERT_HAS_EXPIRED",
    "the certificate of the host is not valid at this time",
    "Check the clock of this machine; the operator of the host can renew the certificate",
  ],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate of the host is for another host name", address],
  ["CERT_REVOKED", "the certificate of the host is not valid", address],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "the host accepts no encrypted connection", address],
])("the error of a connection that fails with %s has one cause and one advice", async (code, cause, advice) => {
  mockFailure = nodeError(code);
  const clock = new VirtualClock();
  const error: unknown = await clock.run(transportOver(http("http://127.0.0.1"), { clock })(requestOf()).catch(String));
  expect(error).toBe(`ConnectionError: GET /v1/clusters: ${cause} (${code}, 127.0.0.1). ${advice}`);
});
