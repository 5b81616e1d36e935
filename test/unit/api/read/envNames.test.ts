import { readCluster } from "../../../../provider/api/read/clusterRecord";
import { cleanJson } from "../../../../provider/text";

const value = " byte\u001b[31m\u202e for byte\r\n";
const dirty: [string, string][] = [
  ["OSC", "\u001b]8;;http://evil\u0007NAME\u001b]8;;\u0007"],
  ["CSI", "\u001b[2J\u001b[31mNAME"],
  ["CSI in one character", "\u009b31mNAME"],
  ["a bidirectional control", "NA\u202eME"],
  ["an invisible character", "NA\u200bME"],
  ["a line separator", "NAME\u2028"],
];
const shapes: [string, (name: string) => unknown][] = [
  ["a map", (name) => ({ [name]: value })],
  ["a map of objects", (name) => ({ [name]: { value } })],
  ["a list of objects", (name) => [{ name, value }]],
  ["a list of texts", (name) => [`${name}=${value}`]],
];

describe.each(shapes)("the name of a variable in %s", (_shape, write) => {
  it.each(dirty)("is cleaned of %s, and its value stays byte for byte", (_what, name) => {
    const keeps = (property: string) => property === "env";
    const json = cleanJson({ id: "cl_1", env: write(name) }, { keeps });
    expect(readCluster("cl_1")(json).env).toEqual({ NAME: value });
  });
});

test.each(shapes.slice(0, 2))("in %s, a name that only looks like another one does not take its place", (_s, write) => {
  const env = Object.assign({}, write("NAME"), { "NA\u202eME": "another" });
  const json = cleanJson({ id: "cl_1", env }, { keeps: (property) => property === "env" });
  expect(readCluster("cl_1")(json).env).toEqual({ NAME: value });
});

test("a name that is longer than any variable is cut", () => {
  const env = readCluster("cl_1")({ id: "cl_1", env: { ["N".repeat(5_000)]: "1" } }).env ?? {};
  expect(Object.keys(env)).toEqual([`${"N".repeat(1_024)}…`]);
});

test("the API key does not show in the name of a variable", () => {
  const hide = (text: string) => text.replace("sk-key", "[secret]");
  const json = cleanJson({ env: { "A_sk-key": "sk-key" } }, { hide, keeps: (name) => name === "env" });
  expect(json).toEqual({ env: { "A_[secret]": "sk-key" } });
});
