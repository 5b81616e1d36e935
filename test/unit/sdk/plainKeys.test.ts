import * as pulumi from "@pulumi/pulumi";
import { Cluster } from "../../../sdk";
import * as native from "../../../sdk/native";
import { runProgram } from "./program";

const key = "canary-key-7f3a9e";
const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();

type Kind = typeof Cluster | typeof native.Cluster;

/** The warnings that a program gets with these secrets in its config. */
async function warningsWith(Kind: Kind, values: Record<string, string>, secrets: string[]): Promise<unknown[]> {
  warn.mockClear();
  pulumi.runtime.setAllConfig(values, secrets);
  await runProgram(() => {
    for (const name of ["one", "two"]) new Kind(name, { gpuType: "l4", container: "acme/model:1" });
  });
  pulumi.runtime.setAllConfig({});
  return warn.mock.calls.map(([text]) => text);
}

const text = expect.stringMatching(
  /^The API key gpucluster:apiKey is stored in plain text in Pulumi\.dev\.yaml, and perhaps in the state\. Run `pulumi config set --secret gpucluster:apiKey`/,
);

const withKey = { "gpucluster:apiKey": key };
test.each<[string, Record<string, string>, string[], unknown[]]>([
  ["a program gets no warning if its stack has no key", {}, [], []],
  ["a program gets no warning of a key that is a secret", withKey, ["gpucluster:apiKey"], []],
  ["a program gets one warning of a key that is not a secret, whatever the number of clusters", withKey, [], [text]],
])("%s", async (_title, values, secrets, expected) => {
  for (const Kind of [Cluster, native.Cluster]) {
    // Each run has a stack of its own; these, against mocks, have none.
    jest
      .spyOn(pulumi.runtime, "getStackResource")
      .mockReturnValue({} as ReturnType<typeof pulumi.runtime.getStackResource>);
    expect(await warningsWith(Kind, values, secrets)).toEqual(expected);
  }
  expect(JSON.stringify(warn.mock.calls)).not.toContain(key);
});
