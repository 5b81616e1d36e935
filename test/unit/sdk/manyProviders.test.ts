import * as pulumi from "@pulumi/pulumi";
import * as native from "../../../sdk/native";
import { runProgram } from "./program";

const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();

/** What a run with so many providers is warned of. */
async function warningsOf(count: number): Promise<unknown[]> {
  warn.mockClear();
  // Each run has a stack of its own; these, against mocks, have none.
  jest
    .spyOn(pulumi.runtime, "getStackResource")
    .mockReturnValue({} as ReturnType<typeof pulumi.runtime.getStackResource>);
  await runProgram(() => {
    for (let index = 0; index < count; index++) new native.Provider(`org-${index}`);
  });
  return warn.mock.calls.map(([text]) => text);
}

const warning = expect.stringMatching(
  /more than 10 providers of gpucluster.*32 MB. Use `gpucluster:connections` and the input `connection` instead/,
);

test.each<[number, unknown[]]>([
  [10, []],
  [11, [warning]],
  [30, [warning]],
])("a run with %i providers has these warnings: %j", async (count, expected) => {
  expect(await warningsOf(count)).toEqual(expected);
  // Counted for each run, not for the process.
  expect(await warningsOf(1)).toEqual([]);
});
