import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Server } from "node:net";
import tls from "node:tls";
import { inspect } from "node:util";
import { ConfigError, ConnectionError, messageOf } from "../../../../provider/base/errors";
import { certificateFor } from "../../../support/certificate";
import { canary, failureOf, listen, once, serve, transportTo } from "./httpHarness";

const host = "api.gpu.test";
const certificate = certificateFor(host);
const variables = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
const before = new Map(variables.map((name) => [name, process.env[name]]));

const portOf = async (server: Server) => Number(new URL(await listen(server)).port);

/** A service with TLS, on a port of this machine; received requests are in `requests`. */
async function openService(body = "[]") {
  const requests: IncomingMessage[] = [];
  const server = createTlsServer(certificate, (request, response) => {
    requests.push(request);
    response.end(body);
  });
  return { requests, port: await portOf(server) };
}

/** A proxy that opens tunnels to one port of this machine, whatever host is requested, or refuses with a status. */
async function openProxy(port: number, status = 200) {
  const seen: string[] = [];
  const targets: (string | undefined)[] = [];
  const server = createHttpServer((_request, response) => response.writeHead(405).end());
  server.on("connection", (socket) => socket.on("data", (data) => seen.push(data.toString("latin1"))));
  server.on("connect", (request, socket) => {
    targets.push(request.url);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const tunnel = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      tunnel.pipe(socket).pipe(tunnel);
    });
    for (const end of [socket, tunnel]) end.on("error", () => undefined);
    return undefined;
  });
  return { seen, targets, url: `http://127.0.0.1:${await portOf(server)}` };
}

beforeEach(() => {
  for (const name of variables) delete process.env[name];
  const original = tls.connect;
  // The certificate is trusted in this process alone.
  jest
    .spyOn(tls, "connect")
    .mockImplementation(((options: tls.ConnectionOptions, ...others: []) =>
      original({ ...options, ca: certificate.cert }, ...others)) as typeof tls.connect);
});

afterEach(() => {
  jest.restoreAllMocks();
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

test("a request passes through the proxy of the environment, which sees the host and never the key", async () => {
  const service = await openService();
  const proxy = await openProxy(service.port);
  process.env["HTTPS_PROXY"] = proxy.url;
  const { send } = transportTo(`https://${host}:4443`);
  // A create request opens its own tunnel.
  for (const kind of ["read", "create"] as const) expect((await send(once(kind))).json).toEqual([]);
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${canary}`));
  expect(proxy.targets).toEqual(Array(2).fill(`${host}:4443`));
  expect(proxy.seen[0]).toMatch(/^CONNECT api\.gpu\.test:4443 HTTP\/1\.1/);
  expect(proxy.seen.join("")).not.toMatch(new RegExp(`${canary.slice(0, 9)}|authorization`, "i"));
});

test("a proxy gets its name and password, and no error quotes them", async () => {
  const service = await openService();
  const proxy = await openProxy(service.port);
  process.env["HTTPS_PROXY"] = proxy.url.replace("//", "//me:proxy-canary@");
  expect((await transportTo(`https://${host}`).send(once("read"))).status).toBe(200);
  expect(proxy.seen[0]).toContain(`proxy-authorization: Basic ${btoa("me:proxy-canary")}`);
  process.env["HTTPS_PROXY"] = "no proxy-canary";
  const error = await failureOf(transportTo(`https://${host}`).send(once("read")));
  expect(error).toBeInstanceOf(ConfigError);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
});

test("a request to this machine uses no proxy", async () => {
  const { url } = await serve((_request, response) => response.end("[1]"));
  process.env["HTTP_PROXY"] = process.env["HTTPS_PROXY"] = "http://127.0.0.1:1";
  expect((await transportTo(url.replace("127.0.0.1", "localhost")).send(once("read"))).json).toEqual([1]);
});

const proxyName = "the proxy of the environment (HTTPS_PROXY, HTTP_PROXY)";

test.each([
  [
    407,
    `${proxyName} requires a name and a password (HTTP 407, ${host}). Put them into its address: http://NAME:PASSWORD@HOST:PORT`,
  ],
  [
    403,
    `${proxyName} opened no connection to the host (HTTP 403, ${host}). Ask the operator of the proxy, or list the host in NO_PROXY if it needs none`,
  ],
])("%i from a proxy to the tunnel: no request was sent, and the error names the proxy", async (status, message) => {
  const service = await openService();
  const proxy = await openProxy(service.port, status);
  process.env["HTTPS_PROXY"] = proxy.url;
  const error = await failureOf(transportTo(`https://${host}`).send(once("create", { body: "{}" })));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ outcome: "not-sent", maybeApplied: false });
  expect(messageOf(error)).toBe(`POST /v1/clusters: ${message}`);
  expect(service.requests).toEqual([]);
});

test("a proxy that does not answer is named beside the address of the service", async () => {
  process.env["HTTPS_PROXY"] = "http://127.0.0.1:1";
  const error = await failureOf(transportTo(`https://${host}`).send(once("read")));
  expect(messageOf(error)).toMatch(
    /refused \(ECONNREFUSED, .*\)\. Check the address of the service, .*, and the proxy in HTTPS_PROXY or HTTP_PROXY$/,
  );
});

test.each(["HTTPS_PROXY", "HTTP_PROXY"])("%s: a SOCKS proxy is refused before any request", async (variable) => {
  const proxy = await openProxy(1);
  process.env[variable] = proxy.url.replace("http", "socks5");
  const error = await failureOf(transportTo(`https://${host}`).send(once("read")));
  expect(error).toBeInstanceOf(ConfigError);
  expect(messageOf(error)).toContain("must be addresses of HTTP proxies such as http://HOST:PORT, and not of SOCKS");
  expect(proxy.seen).toEqual([]);
});
