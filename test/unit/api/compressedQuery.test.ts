import { messageOf } from "../../../provider/errors";
import { failureOf, once, serve, stopServers, transportTo } from "./httpHarness";

afterEach(stopServers);

test("the message of a compressed answer does not hold the query of the page", async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("x");
  });
  const error = await failureOf(transportTo(url).send(once("GET", { path: "/v1/clusters?cursor=canary" })));
  const text = messageOf(error);
  expect([text.includes("compressed"), text.includes("canary")]).toEqual([true, false]);
});
