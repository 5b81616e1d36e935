import { createClient } from "../../../provider/api/client";
import { canary, serve, transportTo } from "./http/httpHarness";

type Place = { base: string; path: string };
test.each<[string, (own: URL, other: URL) => Place]>([
  ["makes the host a user name", (own, other) => ({ base: own.origin, path: `@${other.host}/evil` })],
  ["names another port", (_own, other) => ({ base: "http://127.0.0.1", path: `:${other.port}/evil` })],
  ["goes on with the host", (_own, other) => ({ base: "http://127.0.0", path: `.1:${other.port}/evil` })],
  ["goes on with the host's name", () => ({ base: "http://localhost", path: ".evil.example/" })],
  ["goes on with the port", (own) => ({ base: own.origin, path: ".evil.example/" })],
])("a path that %s is refused, and nothing arrives anywhere", async (_what, placeOf) => {
  const arrived: unknown[] = [];
  const open = async () => {
    const { url } = await serve((request, response) => {
      arrived.push(request.headers);
      response.end("{}");
    });
    return new URL(url);
  };
  const { base, path } = placeOf(await open(), await open());
  const { getServiceInfo } = createClient(transportTo(base).send);
  const error: unknown = await getServiceInfo(path, { attempts: 1 }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ name: "TypeError" });
  expect(String(error)).not.toContain(canary);
  expect(arrived).toEqual([]);
});
