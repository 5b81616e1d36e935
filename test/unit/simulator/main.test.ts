import { createServer } from "node:net";
import { run } from "../../../simulator/main";

/** The process without its streams: what the command prints, and its end by a signal. */
async function started(...args: string[]) {
  const lines: string[] = [];
  jest.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const { code, out } = await run(args);
  const { url, apiKey } = JSON.parse(out);
  const ended = new Promise((resolve) => jest.spyOn(process, "exit").mockImplementation(resolve as () => never));
  return { code, url, apiKey, lines, end: () => process.emit("SIGTERM") && ended };
}

afterEach(() => jest.restoreAllMocks());

describe("the command", () => {
  it("has the same key at each start, and does not take the one of the environment", async () => {
    process.env["GPUCLUSTER_API_KEY"] = "canary-of-a-real-service";
    const { apiKey, end } = await started("--port", "0");
    expect(apiKey).toBe("sim-key");
    expect(await end()).toBe(0);
  });

  it("prints one line for each request with --verbose, without keys, queries and bodies", async () => {
    const { url, apiKey, lines, end } = await started("--port", "0", "--verbose");
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    await fetch(`${url}/v1/clusters`, { headers });
    await fetch(`${url}/v1/clusters?key=canary`, { method: "POST", headers, body: '{"name":"canary"}' });
    await fetch(`${url}/health`);
    await end();
    expect(lines.map((line) => line.replace(/ \d+ ms\n$/, ""))).toEqual([
      "GET /v1/clusters 200",
      "POST /v1/clusters 400",
      "GET /health 401",
    ]);
  });

  it("serves the endpoints of its clusters: whether one is healthy, and a completion that says that no model runs", async () => {
    const { url, apiKey, end } = await started("--port", "0", "--provisioning-ms", "300");
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "web", gpu_type: "h100", replicas: 1, container: "acme/model:1" });
    const created = await fetch(`${url}/v1/clusters`, { method: "POST", headers, body });
    const { endpoint } = Object(await created.json());
    expect((await fetch(`${endpoint}/health`)).status).toBe(503);
    await new Promise((later) => setTimeout(later, 350));
    expect((await fetch(`${endpoint}/health`)).status).toBe(200);
    const completion = await fetch(`${endpoint}/v1/chat/completions`, { method: "POST", body: '{"messages":[]}' });
    expect(await completion.json()).toMatchObject({
      model: "acme/model:1",
      choices: [{ message: { content: expect.stringMatching(/of "web". It is simulated: no model runs/) } }],
    });
    expect((await fetch(new URL("/other/health", endpoint))).status).toBe(404);
    expect(await end()).toBe(0);
  });

  it("says what to do if its port is taken", async () => {
    const other = createServer();
    const port = await new Promise((listening) =>
      other.listen(0, "127.0.0.1", () => listening(Object(other.address()).port)),
    );
    expect(await run(["--port", `${port}`])).toEqual({
      code: 1,
      out: "",
      err: `pulumi-gpucluster: port ${port} of 127.0.0.1 is taken, perhaps by another simulator.\nEnd that program, or choose another port; --port 0 takes a free one.\n`,
    });
    await new Promise((closed) => other.close(closed));
  });
});
