import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation";
import * as automation from "../../../sdk/automation";
import { cliError, errorOf, failing, fakeStack, urn } from "./stackHarness";

const failingWith = (message: string) => fakeStack(failing("", undefined, { message })).stack;

const operations: [string, (args: { stack: Stack; parallel?: number }) => Promise<unknown>][] = [
  ["up", automation.up],
  ["preview", automation.preview],
  ["refresh", automation.refresh],
  ["destroy", automation.destroy],
];

describe.each(operations)("%s", (_name, operation) => {
  it("waits for 128 resources at a time or as many as it is told, and keeps secrets out of the summary", async () => {
    const { stack, asked } = fakeStack();
    await operation({ stack });
    await operation({ stack, parallel: 4 });
    expect(asked).toMatchObject([{ parallel: 128, showSecrets: false }, { parallel: 4 }]);
  });
});

describe("the outputs of an update", () => {
  const outputs = {
    endpoint: { value: "https://web", secret: false },
    token: { value: "canary", secret: true },
    ready: { value: 2, secret: false },
  };
  const program = async () => ({ endpoint: pulumi.output("https://web"), token: pulumi.secret("canary"), ready: 2 });

  it("have the types and values of the program; the secret ones show only if they are read by name", async () => {
    const result = await automation.up({ stack: fakeStack(() => ({ outputs })).stack, program });
    const endpoint: string = result.outputs.endpoint;
    const ready: number = result.outputs.ready;
    expect([endpoint, ready, result.outputs.token]).toEqual(["https://web", 2, "canary"]);
    expect(result.secretOutputs).toEqual(["token"]);
    expect(JSON.stringify(result)).not.toContain("canary");
    expect(inspect(result, { depth: 9 })).not.toContain("canary");
  });
});

describe("the progress of an operation", () => {
  it("is reported line by line, and the engine's events go to `onEvent`", async () => {
    const line = { urn, message: "1/2 replicas healthy\n", ephemeral: true, color: "" };
    const diagnosticEvent = { ...line, severity: "info" as const };
    const sent: EngineEvent = { sequence: 1, timestamp: 1, diagnosticEvent };
    const { stack } = fakeStack(({ onEvent }) => {
      onEvent(sent);
      return {};
    });
    const told: automation.Progress[] = [];
    const onEvent = jest.fn();
    await automation.refresh({ stack, onProgress: (progress) => told.push(progress), onEvent });
    expect(told).toEqual([{ kind: "status", resource: "web", urn, status: "1/2 replicas healthy", severity: "info" }]);
    expect(onEvent.mock.calls).toEqual([[sent]]);
  });
});

describe("an operation that fails", () => {
  it("contains the errors of its resources, one fact on each line, and no call stack", async () => {
    const text = "1 error occurred:\n\t* web is not ready\n      replica rep_1: out of memory\n\n";
    const error = await errorOf(automation.up({ stack: failingWith(text) }));
    expect(error).toMatchObject({ operation: "up", stackName: "dev", reason: "failed" });
    expect(error.message).toBe("up of dev failed\n  web: web is not ready\n  web: replica rep_1: out of memory");
    expect(inspect(error)).not.toContain(".ts:");
  });

  it("says that another operation has the stack", async () => {
    const locked = "error: the stack is currently locked by 1 lock(s)";
    const { stack } = fakeStack(failing(locked, "ConcurrentUpdateError"));
    const error = await errorOf(automation.up({ stack }));
    expect(error.reason).toBe("locked");
    expect(error.message).toMatch(/another operation has the stack\n {2}the stack is currently locked/);
  });

  it("says that it was canceled by its signal, which it passes on", async () => {
    const controller = new AbortController();
    const { stack } = fakeStack(({ signal }) => {
      expect(signal).toBe(controller.signal);
      controller.abort();
      throw cliError("error: update canceled");
    });
    const error = await errorOf(automation.up({ stack, signal: controller.signal }));
    expect(error).toMatchObject({ reason: "canceled", facts: [{ text: "update canceled" }] });
  });

  it("does not begin when it was canceled before", async () => {
    const { stack, asked } = fakeStack();
    const error = await errorOf(automation.up({ stack, signal: AbortSignal.abort() }));
    expect([error.message, asked]).toEqual(["up of dev was canceled", []]);
  });

  it("is no AutomationError if the program's own code has thrown", async () => {
    const { stack } = fakeStack(() => {
      throw new RangeError("a mistake");
    });
    await expect(automation.up({ stack })).rejects.toThrow(RangeError);
  });
});

describe("a stack that is given by its name", () => {
  it.each([automation.up, automation.preview])(
    "is not run without a program, because that would delete all of its resources",
    async (operation) => {
      const stack = { stackName: "dev", projectName: "shop" };
      await expect(operation({ stack })).rejects.toThrow(/`projectName` needs a `program`/);
    },
  );
});
