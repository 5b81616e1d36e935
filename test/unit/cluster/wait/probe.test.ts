import fc from "fast-check";
import type { AddressAnswer } from "../../../../provider/api/http/address";
import { findFailures } from "../../../../provider/cluster/model/validate";
import {
  addressOf,
  answerOf,
  judgeProbe,
  type Probe,
  type ProbeResult,
  probeOf,
} from "../../../../provider/cluster/wait/probe";
import { UNKNOWN } from "../../../../provider/contract";
import { canary, least } from "../inputs";

const failuresOf = (probe: unknown) => findFailures({ ...least, readinessProbe: probe });

describe("the inputs of a probe", () => {
  it.each<[string, unknown]>([
    ["a path alone", { path: "/" }],
    ["a path with a query", { path: "/v1/models?limit=1&x=%20" }],
    [
      "everything",
      {
        path: "/health",
        port: 8080,
        method: "POST",
        status: 204,
        headers: { Authorization: "Bearer x" },
        body: "{}",
        period: 1,
        timeout: 60,
        successThreshold: 3,
      },
    ],
    [
      "values that are not known yet",
      { path: UNKNOWN, headers: { Authorization: UNKNOWN }, body: UNKNOWN, method: UNKNOWN },
    ],
    ["a probe that is not known yet", UNKNOWN],
  ])("%s is valid", (_what, probe) => {
    expect(failuresOf(probe)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["no map", canary, "readinessProbe"],
    ["no path", {}, "readinessProbe.path"],
    ["an unknown field", { path: "/", initialDelay: canary }, "readinessProbe.initialDelay"],
    ...[
      "",
      "health",
      "//evil.example.com",
      "/a//b",
      "/../x",
      "/a/..",
      "/%2e%2E/x",
      "https://evil.example.com",
      "/\\evil",
      "/a b",
      "/a\r\nHost: evil",
      "/a#b",
      "/\0",
      "/ü",
      "@evil",
      `/${"x".repeat(2_048)}`,
    ].map((path): [string, unknown, string] => [
      `the path ${JSON.stringify(path.slice(0, 30))}`,
      { path },
      "readinessProbe.path",
    ]),
    ["port 0", { path: "/", port: 0 }, "readinessProbe.port"],
    ["a method in small letters", { path: "/", method: "get" }, "readinessProbe.method"],
    ["status 100", { path: "/", status: 100 }, "readinessProbe.status"],
    ["half a second", { path: "/", period: 0.5 }, "readinessProbe.period"],
    ["a long timeout", { path: "/", timeout: 61 }, "readinessProbe.timeout"],
    ["no success", { path: "/", successThreshold: 0 }, "readinessProbe.successThreshold"],
    ["another host", { path: "/", headers: { hOsT: canary } }, "readinessProbe.headers.hOsT"],
    ["a length", { path: "/", headers: { "Content-Length": canary } }, "readinessProbe.headers.Content-Length"],
    ["a name with a space", { path: "/", headers: { "X Y": canary } }, "readinessProbe.headers.X Y"],
    ["a line break in a header", { path: "/", headers: { X: `${canary}\r\nHost: evil` } }, "readinessProbe.headers.X"],
    ["a number in a header", { path: "/", headers: { X: 12345 } }, "readinessProbe.headers.X"],
    [
      "a forbidden name",
      { path: "/", headers: JSON.parse(`{"__proto__": "${canary}"}`) },
      "readinessProbe.headers.__proto__",
    ],
    ["a body without POST", { path: "/", body: canary }, "readinessProbe.body"],
    ["a body of a map", { path: "/", method: "POST", body: { canary } }, "readinessProbe.body"],
    ["a large body", { path: "/", method: "POST", body: "x".repeat(64 * 1024 + 1) }, "readinessProbe.body"],
  ])("%s is an error that quotes no value", (_what, probe, property) => {
    const failures = failuresOf(probe);
    expect(failures.map((failure) => failure.property)).toEqual([property]);
    expect(JSON.stringify(failures)).not.toContain(canary);
  });
});

const probeAt = (path: string, more: object = {}): Probe => {
  const probe = probeOf({ readinessProbe: { path, ...more } });
  if (!probe) throw new Error("no probe");
  return probe;
};

describe("the address of a probe", () => {
  it.each([
    ["https://web.example.com", "/health", {}, "https://web.example.com/health"],
    ["https://web.example.com/", "/", {}, "https://web.example.com/"],
    ["http://gateway.example.com/cl_1/", "/health?a=b?c", {}, "http://gateway.example.com/cl_1/health?a=b?c"],
    ["https://web.example.com:444", "/health", { port: 8080 }, "https://web.example.com:8080/health"],
    ["web.example.com:8000", "/health", {}, "https://web.example.com:8000/health"],
    ["https://user:word@web.example.com", "/health", {}, "https://web.example.com/health"],
    ["https://web.example.com//evil.example.com", "/health", {}, "https://web.example.com//evil.example.com/health"],
  ])("of %s and %s, %j", (endpoint, path, more, expected) => {
    expect(String(addressOf(endpoint, probeAt(path, more)))).toBe(expected);
  });

  it.each([
    [undefined, "the service shows no endpoint"],
    ["", "the service shows no endpoint"],
    ["ftp://web.example.com", "the service shows an endpoint that is no web address"],
    ["https://", "the service shows an endpoint that is no web address"],
    ["starting…", "the service shows an endpoint that is no web address"],
  ])("of %j is none yet", (endpoint, why) => {
    expect(addressOf(endpoint, probeAt("/health"))).toBe(why);
  });

  it("never leaves the host of the endpoint, whatever valid path the program gives", () => {
    const signs = fc.constantFrom(..."/.?%2eE5cf@:a~&=;!$'()*+,-_[]");
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 20 }), fc.boolean(), (letters, isDeep) => {
        const path = `/${letters.join("")}`;
        fc.pre(failuresOf({ path }).length === 0);
        const url = addressOf(`https://web.example.com:444${isDeep ? "/cl_1" : ""}`, probeAt(path));
        if (typeof url === "string") throw new Error(url);
        expect(url.origin).toBe("https://web.example.com:444");
        expect(url.pathname.startsWith(isDeep ? "/cl_1/" : "/")).toBe(true);
        expect(url.username + url.password + url.hash).toBe("");
      }),
    );
  });
});

describe("redirects", () => {
  const first = new URL("https://web.example.com/health");
  const ask = (answers: readonly AddressAnswer[], more: object = {}) => {
    const asked: string[] = [];
    const send = ({ url }: { url: URL }) => {
      asked.push(url.href);
      return Promise.resolve(answers[asked.length - 1] ?? { status: 200 });
    };
    return answerOf(send, probeAt("/health", more), first, new AbortController().signal).then((result) => ({
      asked,
      result,
    }));
  };
  const to = (location: string, status = 302) => ({ status, location });

  it("within the host are followed, five at most", async () => {
    const { asked, result } = await ask([to("/a"), to("b", 307)]);
    expect(asked).toEqual([first.href, "https://web.example.com/a", "https://web.example.com/b"]);
    expect(result).toEqual({ status: 200, isElsewhere: false });
    expect((await ask(Array(9).fill(to("/a")))).asked).toHaveLength(6);
  });

  it.each([
    "https://evil.example.com/",
    "//evil.example.com",
    "http://web.example.com/",
    "https://web.example.com:8443/",
    "https://web.example.com.evil.example.com",
    "https://web.example.com@evil.example.com/",
    "data:text/plain,ok",
  ])("to %s are not followed, and that is said", async (location) => {
    const { asked, result } = await ask([to(location)]);
    expect(asked).toEqual([first.href]);
    expect(judgeProbe(result, 0, probeAt("/health"))).toEqual({
      isReady: false,
      successes: 0,
      summary: "GET /health answers 302, a redirect to another address, which is not followed",
    });
  });

  it("are the right answer if the program asks for one, and are not followed with a body", async () => {
    const { asked, result } = await ask([to("/a")], { status: 302 });
    expect(asked).toHaveLength(1);
    expect(judgeProbe(result, 0, probeAt("/health", { status: 302 })).isReady).toBe(true);
    expect((await ask([to("/a", 307)], { method: "POST", body: "{}" })).asked).toHaveLength(1);
    expect((await ask([{ status: 302 }])).asked).toHaveLength(1);
    expect((await ask([to("https://%")])).asked).toHaveLength(1);
  });
});

describe("the judgement of answers", () => {
  it.each<[ProbeResult, object, boolean, string]>([
    [{ status: 200 }, {}, true, "GET /health answers 200"],
    [{ status: 299 }, {}, true, "GET /health answers 299"],
    [{ status: 300 }, {}, false, "GET /health answers 300"],
    [{ status: 199 }, {}, false, "GET /health answers 199"],
    [{ status: 404 }, { status: 404 }, true, "GET /health answers 404"],
    [{ status: 200 }, { status: 204, method: "HEAD", port: 81 }, false, "HEAD :81/health answers 200"],
    [{ status: 200 }, { successThreshold: 3 }, false, "GET /health answers 200 (1 of 3 in a row)"],
    [
      { problem: "the host name is unknown (ENOTFOUND)" },
      {},
      false,
      "GET /health: the host name is unknown (ENOTFOUND)",
    ],
  ])("%j of %j", (result, more, isReady, summary) => {
    expect(judgeProbe(result, 0, probeAt("/health?token=x", more))).toMatchObject({ isReady, summary });
  });

  it("is ready exactly at the first run of right answers that is long enough", () => {
    const results = fc.array(fc.constantFrom<ProbeResult>({ status: 200 }, { status: 503 }, { problem: "refused" }));
    fc.assert(
      fc.property(results, fc.integer({ min: 1, max: 4 }), (all, successThreshold) => {
        const probe = probeAt("/health", { successThreshold });
        let successes = 0;
        const readyAt = all.findIndex((result) => {
          const verdict = judgeProbe(result, successes, probe);
          successes = verdict.successes;
          return verdict.isReady;
        });
        const word = all.map(({ status }) => (status === 200 ? "y" : "n")).join("");
        const run = word.indexOf("y".repeat(successThreshold));
        expect(readyAt).toBe(run < 0 ? -1 : run + successThreshold - 1);
      }),
    );
  });
});

describe("the headers of a probe", () => {
  it.each([
    [{}, undefined, {}],
    [{}, "{}", { "Content-Type": "application/json" }],
    [{}, "text", {}],
    [{ "content-type": "text/plain" }, "{}", { "content-type": "text/plain" }],
  ])("%j with the body %j", (headers, body, expected) => {
    const { "User-Agent": agent, ...others } = probeAt("/", { headers, body }).headers;
    expect(agent).toMatch(/^pulumi-gpucluster\/\d/);
    expect(others).toEqual(expected);
  });

  it("keep the program's own user agent", () => {
    expect(probeAt("/", { headers: { "user-agent": "own" } }).headers).toEqual({ "user-agent": "own" });
  });
});
