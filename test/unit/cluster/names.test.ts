import fc from "fast-check";
import { generatedName } from "../../../provider/cluster/preview/validate";
import { urnOf } from "./inputs";

const anyUrn = fc.string({ unit: "grapheme", maxLength: 120 }).map(urnOf);
const dnsLabel = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

describe("a generated name", () => {
  it("is a DNS label of at most 48 characters, whatever the resource is called", () => {
    fc.assert(
      fc.property(anyUrn, fc.string(), (urn, predecessor) => {
        const name = generatedName(urn, predecessor);
        expect(name).toMatch(dnsLabel);
        expect(name.length).toBeLessThanOrEqual(48);
      }),
    );
  });

  it("is the same for the same URN and predecessor", () => {
    fc.assert(
      fc.property(anyUrn, fc.string(), (urn, predecessor) => {
        expect(generatedName(urn, predecessor)).toBe(generatedName(urn, predecessor));
      }),
    );
  });

  it("is never that of its predecessor, over a chain of replacements", () => {
    fc.assert(
      fc.property(anyUrn, (urn) => {
        const chain = [generatedName(urn)];
        for (let step = 0; step < 5; step += 1) chain.push(generatedName(urn, chain.at(-1)));
        expect(new Set(chain).size).toBe(chain.length);
      }),
    );
  });

  it.each([
    ["another resource", urnOf("web"), urnOf("api")],
    ["another stack", urnOf("web"), urnOf("web").replace(":dev:", ":prod:")],
    ["a long name with another end", urnOf(`${"a".repeat(60)}1`), urnOf(`${"a".repeat(60)}2`)],
    ["a name in other capitals", urnOf("Web"), urnOf("web")],
  ])("differs for %s", (_title, one, other) => {
    expect(generatedName(one)).not.toBe(generatedName(other));
  });

  it.each([
    ["web", /^web-[0-9a-f]{7}$/],
    ["My Web_Server", /^my-web-server-[0-9a-f]{7}$/],
    ["---", /^cluster-[0-9a-f]{7}$/],
    ["日本", /^cluster-[0-9a-f]{7}$/],
    ["a::b", /^a-b-[0-9a-f]{7}$/],
    [`${"a".repeat(39)}-b`, /^a{39}-[0-9a-f]{7}$/],
  ])("of the resource %j is readable", (resource, pattern) => {
    expect(generatedName(urnOf(resource))).toMatch(pattern);
  });
});
