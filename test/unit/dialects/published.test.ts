import { closeAll, failureOf, forget, initErrorOf, openBench, requestLines, writes } from "../cluster/bench";
import { create, open, read, update, type Wanted, web } from "./bench";

afterEach(closeAll);

const wanted: Wanted = { ...web, gpuType: "H100" };

describe.each(["documented", "client"])("in the published form %s", (dialect) => {
  it("a cluster is created, and a refresh finds what was made", async () => {
    const bench = await open(dialect);
    const held = await create(bench, { ...wanted, gpuType: dialect === "client" ? "H100" : "h100" });
    console.log(
      requestLines(bench.simulator).join("\n"),
      bench.said.join("\n"),
      JSON.stringify(held.state, null, 1),
      JSON.stringify(bench.simulator.requests.filter((r) => r.method === "POST").map((r) => r.body)),
    );
    expect((await read(bench, held)).state).toStrictEqual(held.state);
  });
});
