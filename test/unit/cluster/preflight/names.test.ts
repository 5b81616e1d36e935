import fc from "fast-check";
import { generatedName } from "../../../../provider/cluster/schema/validate";
import type { Properties } from "../../../../provider/contract";
import { openFixture } from "../harness";
import { checked, existing, least, urnOf } from "../inputs";
import { check, checkOnce } from "./harness";

test("the defaults are one running replica and a name generated from the URN, which is marked", async () => {
  const { inputs, refusals } = await checkOnce(least);
  expect(refusals).toEqual([]);
  const name = generatedName(urnOf("web"));
  const defaults = { replicas: 1, desiredStatus: "running", hourlyCost: 2.99, name, __generatedName: true };
  expect(inputs).toEqual({ ...least, ...defaults, __gpu: ["h100", "NVIDIA H100"] });
});

describe("a generated name", () => {
  const anyUrn = fc.string({ unit: "grapheme", maxLength: 120 }).map(urnOf);
  const salts = fc.stringMatching(/^[\x21-\x7e]{8,40}$/);

  it("is valid with a salt, and differs for each salt and after each replacement", () => {
    fc.assert(
      fc.property(anyUrn, salts, salts, (urn, salt, other) => {
        fc.pre(salt !== other);
        expect(generatedName(urn)).toMatch(/^(?=.{1,48}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
        const chain = [generatedName(urn, "", salt)];
        for (let step = 0; step < 5; step += 1) chain.push(generatedName(urn, chain.at(-1), salt));
        const others = [generatedName(urn), generatedName(urn, "", other), generatedName(`${urn}2`, "", salt)];
        expect(new Set([...chain, ...others]).size).toBe(chain.length + others.length);
        expect(generatedName(urn, "", salt)).toBe(chain[0]);
        for (const name of chain) expect(name).toMatch(/^(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?-[0-9a-f]{12}$/);
      }),
    );
  });

  it("is readable, and ends in a hash", () => {
    expect(generatedName(urnOf("My Web_Server"))).toMatch(/^my-web-server-[0-9a-f]{7}$/);
    expect(generatedName(urnOf(`${"a".repeat(39)}-b`))).toMatch(/^a{39}-[0-9a-f]{7}$/);
  });
});

describe("a name that is taken", () => {
  it("is free when its holder is being deleted", async () => {
    const fixture = await openFixture({ deletionMs: 60_000 });
    const { id } = fixture.simulator.addCluster({ name: "web", gpuType: "l4" });
    await fixture.run(fixture.client.deleteCluster(id));
    expect((await check(fixture, checked)).refusals).toEqual([]);
  });

  it("passes for a cluster that is replaced because another one is, even without its old inputs", async () => {
    const fixture = await openFixture();
    fixture.simulator.addCluster({ name: "web", gpuType: "h100" });
    const news: Properties = { ...least, name: "web", gpuType: "l4" };
    await fixture.diff({ id: "cl_1", state: { ...existing, name: "web" } }, news);
    expect((await check(fixture, news)).refusals).toEqual([]);
    expect((await check(fixture, news, {}, "stranger")).refusals).not.toEqual([]);
  });
});

describe("an explicit name that the program no longer sets", () => {
  const { name, ...nameless } = checked;

  it("stays, with one warning", async () => {
    const fixture = await openFixture();
    for (let time = 0; time < 2; time += 1) {
      expect((await check(fixture, nameless, checked)).inputs).toMatchObject({ name, __generatedName: true });
    }
    expect(fixture.messages).toEqual([expect.stringMatching(/^warning: .*keeps its name "web"/)]);
  });

  it("does not stay if the cluster is replaced, so there is no warning", async () => {
    expect((await checkOnce({ ...nameless, gpuType: "l4" }, checked)).said).toEqual([]);
  });
});
