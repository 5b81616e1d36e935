import { once as event } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { http } from "../../../../provider/api/http/send";
import { ApiError, ConnectionError, messageOf, ResponseShapeError } from "../../../../provider/base/errors";
import { VirtualClock } from "../../../support/virtualClock";
import { failureOf, once, requestOf, serve, transportOver, transportTo } from "./httpHarness";

const mebi = 1024 * 1024;
const body = JSON.stringify({ name: "web", gpu_type: "h100", replicas: 1, container: "example/server:1", env: {} });

describe("a connection", () => {
  it("that is refused carried no request, so that even a creation is sent again", async () => {
    const { server, url } = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const error = await failureOf(transportTo(url).send(once("create", { attempts: 3 })));
    expect(error).toMatchObject({ outcome: "not-sent", maybeApplied: false, method: "POST" });
    expect(String(error)).toContain(`the connection was refused (ECONNREFUSED, ${new URL(url).host}) (tried 3 times)`);
  });

  it("is new for each create request: one that the service closes while it is idle loses no answer", async () => {
    const used = new Set<unknown>();
    const { url } = await serve((request, response) => {
      // Closes the connection instead of a second answer.
      if (used.has(request.socket)) return request.socket.destroy();
      used.add(request.socket);
      return response.end("[]");
    });
    const { send } = transportTo(url);
    await send(once("read"));
    for (let index = 0; index < 3; index += 1) expect((await send(once("create", { body }))).status).toBe(200);
    expect(used.size).toBe(4);
  });
});

describe("an answer", () => {
  it("is refused if it has more than 8 MiB", async () => {
    const sizes = [8 * mebi + 1, 8 * mebi];
    const { url } = await serve((_request, response) => response.end(`"${"x".repeat((sizes.shift() ?? 2) - 2)}"`));
    const { send } = transportTo(url);
    const error = await failureOf(send(once("read")));
    expect(error).toBeInstanceOf(ResponseShapeError);
    expect(String(error)).toContain("that this version cannot read: it is larger than 8 MiB");
    expect((await send(once("read"))).json).toMatch(/^x+…$/);
  });

  it.each<[string, (body: string) => Buffer]>([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["GZIP", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["identity", Buffer.from],
    ["deflate, gzip", (body) => gzipSync(deflateSync(body))],
  ])("is read although it is compressed, which no request allows: %s", async (coding, compress) => {
    const allowed: unknown[] = [];
    const statuses = [200, 409];
    const { url } = await serve((request, response) => {
      allowed.push(request.headers["accept-encoding"]);
      const status = statuses.shift() ?? 500;
      const text = JSON.stringify({ error: { code: "name_taken", message: "Taken.", status }, id: "cl_1" });
      response
        .writeHead(status, { "content-encoding": coding })
        .end(compress(text.replace(/"status":200/, '"status":0')));
    });
    const { send } = transportTo(url);
    expect((await send(once("create", { body }))).json).toMatchObject({ id: "cl_1" });
    const error = await failureOf(send(once("create", { body })));
    expect(error).toMatchObject({ status: 409, code: "name_taken", apiMessage: "Taken.", isApiAnswer: true });
    expect(allowed).toEqual(["identity", "identity"]);
  });

  it.each<[string, string, Buffer, string]>([
    ["more than 8 MiB in a few bytes", "gzip", gzipSync("x".repeat(9 * mebi)), "it is larger than 8 MiB"],
    ["more than 8 MiB within two codings", "br, gzip", gzipSync(brotliCompressSync("x".repeat(9 * mebi))), "8 MiB"],
    ["cut", "gzip", gzipSync(body).subarray(0, 40), "it cannot be decompressed"],
    ["not what its header says", "br", Buffer.from(body), "it cannot be decompressed"],
    ["a coding that nobody asked for", "zstd", Buffer.from(body), "its Content-Encoding is unknown"],
  ])("is unreadable, so that a creation may have had an effect: %s", async (_what, coding, bytes, why) => {
    const statuses = [201, 404];
    const { url } = await serve((_request, response) => {
      response.writeHead(statuses.shift() ?? 500, { "content-encoding": coding }).end(bytes);
    });
    const { send } = transportTo(url);
    const error = await failureOf(send(once("create", { body })));
    expect(error).toBeInstanceOf(ResponseShapeError);
    expect([(error as ResponseShapeError).maybeApplied, messageOf(error).includes(why)]).toEqual([true, true]);
    // The status of an error counts, but proves nothing about a cluster.
    expect(await failureOf(send(once("read")))).toMatchObject({ status: 404, isApiAnswer: false });
  });

  it("has no body to decompress if it is empty", async () => {
    const { url } = await serve((_request, response) => response.writeHead(204, { "content-encoding": "gzip" }).end());
    expect(await transportTo(url).send(once("delete"))).toMatchObject({ status: 204, json: undefined });
  });

  it("is not followed if it is a redirect: nothing arrives at its target", async () => {
    const arrived: unknown[] = [];
    const target = await serve((request, response) => {
      arrived.push(request.headers);
      response.end("[]");
    });
    const { url } = await serve((_request, response) => {
      response.writeHead(307, { location: `${target.url}/v1/clusters` }).end();
    });
    const error = await failureOf(transportTo(url).send(once("read", { attempts: 5 })));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ outcome: "refused", status: 307 });
    expect(String(error)).toContain(`Redirects to ${target.url} are not followed`);
    expect(arrived).toEqual([]);
  });

  it.each<[string, RequestListener]>([
    ["does not come", () => undefined],
    [
      "drips",
      (_request, response) => {
        response.write("[");
        const timer = setInterval(() => response.write(" "), 2);
        response.on("close", () => clearInterval(timer));
      },
    ],
  ])("%s: ends with the time limit of the attempt, which may have taken effect", async (_how, listener) => {
    const { url } = await serve(listener);
    const error = await failureOf(transportTo(url).send(once("create", { attemptTimeoutMs: 40 })));
    expect(error).toMatchObject({ outcome: "ambiguous", details: { isLate: true } });
    expect(String(error)).toContain("no complete answer came in time");
  });
});

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A server whose answers the test gives; `arrival` settles when a request is there. */
async function held() {
  const exchanges: Exchange[] = [];
  const { server, url } = await serve(
    (request, response) => void exchanges.push({ request: request.resume(), response }),
  );
  const arrival = event(server, "request").then(() => exchanges[0] as Exchange);
  return { ...transportTo(url), arrival, exchanges };
}

describe("a request whose signal aborts", () => {
  const reason = new Error("interrupted");

  it("ends at once, with the reason, if it is a read in flight", async () => {
    const { send, arrival } = await held();
    const controller = new AbortController();
    const pending = send(once("read", { signal: controller.signal }));
    const { request } = await arrival;
    const closed = event(request.socket, "close");
    controller.abort(reason);
    await expect(pending).rejects.toBe(reason);
    await closed;
  });

  it.each(["create", "write", "delete"] as const)("%s: finishes if it is in flight", async (kind) => {
    const { send, arrival } = await held();
    const controller = new AbortController();
    const pending = send(once(kind, { signal: controller.signal, ...(kind === "create" && { body: "{}" }) }));
    const { response } = await arrival;
    controller.abort(reason);
    response.end('{"id":"cl_1"}');
    expect((await pending).json).toEqual({ id: "cl_1" });
  });

  it.each(["read", "create"] as const)("%s: is not sent if it has not begun", async (kind) => {
    const { send, exchanges } = await held();
    await expect(send(once(kind, { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
    expect(exchanges).toEqual([]);
  });
});

describe("an error of Node", () => {
  const undici = jest.requireActual<typeof import("undici")>("undici");
  const send = http("http://127.0.0.1");

  /** A real connection cannot produce such errors on purpose. */
  const failWith = (failure: Error) => jest.spyOn(undici, "request").mockRejectedValue(failure);
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ["ECONNREFUSED", "connect", "not-sent"],
    ["ENOTFOUND", "getaddrinfo", "not-sent"],
    ["UND_ERR_CONNECT_TIMEOUT", undefined, "not-sent"],
    ["ECONNREFUSED", "read", "ambiguous"],
    ["EHOSTUNREACH", undefined, "ambiguous"],
    ["ECONNRESET", "connect", "not-sent"],
  ])("%s, %s: has the outcome %s", async (code, syscall, outcome) => {
    const alone = Object.assign(new Error(code), { code, ...(syscall && { syscall }) });
    for (const failure of [alone, Object.assign(new AggregateError([alone, new Error("later")]), { code: "LATER" })]) {
      failWith(failure);
      const error = await failureOf(send(requestOf("create")));
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ outcome, cause: { code } });
    }
  });

  const address = "Check the address of the service, gpucluster:baseUrl or GPUCLUSTER_BASE_URL";
  const authority = "Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of that authority";
  const untrusted = "the certificate of the host is from an authority that is not trusted";
  const untimely = "the certificate of the host is not valid at this time";
  const renewal = "Check the clock of this machine; the operator of the host can renew the certificate";

  it.each<[code: string, cause: string, advice: string]>([
    ["SELF_SIGNED_CERT_IN_CHAIN", untrusted, authority],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", untrusted, authority],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", untrusted, authority],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", untrusted, authority],
    ["CERT_HAS_EXPIRED", untimely, renewal],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "the certificate of the host is for another host name", address],
    ["CERT_REVOKED", "the certificate of the host is not valid", address],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "the host accepts no encrypted connection", address],
  ])("%s: the message has one cause and one advice, after one attempt", async (code, cause, advice) => {
    failWith(Object.assign(new Error(code), { code }));
    const clock = new VirtualClock();
    const error = await clock.run(failureOf(transportOver(send, { clock })(requestOf())));
    expect(messageOf(error)).toBe(`GET /v1/clusters: ${cause} (${code}, 127.0.0.1). ${advice}`);
  });
});
