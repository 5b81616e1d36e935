import { inspect } from "node:util";
import { createClient } from "../../../provider/api/client";
import { clientFor, sharedBudget } from "../../../provider/api/clients";
import type { Budget } from "../../../provider/api/ratePriority";
import { Secret } from "../../../provider/secret";
import { startSimulator } from "../../../simulator";
import { VirtualClock } from "../../support/virtualClock";

const registryKey = Symbol.for("pulumi-gpucluster.budgets.v1");
const registry = (): unknown => Reflect.get(globalThis, registryKey);

afterEach(() => {
  Reflect.deleteProperty(globalThis, registryKey);
  jest.resetModules();
});

/** Another copy of the package: its modules share nothing with those above. */
function otherCopy(): typeof import("../../../provider/api/clients") {
  let copy: typeof import("../../../provider/api/clients") | undefined;
  jest.isolateModules(() => {
    copy = require("../../../provider/api/clients");
  });
  if (!copy) throw new Error("not loaded");
  return copy;
}

const connection = (key: string, baseUrl = "https://clients.example.com") => ({ baseUrl, apiKey: new Secret(key) });

test("two copies of the package share the budget of a key, and nothing else", () => {
  const copy = otherCopy();
  expect(copy.clientFor).not.toBe(clientFor);
  const [ours, theirs] = [clientFor(connection("copies")), copy.clientFor(connection("copies"))];
  expect(ours).not.toBe(theirs);
  expect(ours.budget).toBe(theirs.budget);
  expect(copy.clientFor(connection("another")).budget).not.toBe(ours.budget);
  expect(copy.clientFor(connection("copies", "https://other.example.com")).budget).not.toBe(ours.budget);
});

test("if one copy has used up the budget, another copy waits", async () => {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const simulator = await startSimulator({ clock, rateLimit: 2 });
  const clients = [clientFor, otherCopy().clientFor].map((copy) =>
    copy(connection(simulator.apiKey, simulator.url), clock),
  );
  await clock.run(Promise.all([...clients, ...clients].map((client) => client.getHealth())));
  expect(simulator.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(simulator.requests.map(({ at }) => at - startMs >= 60_000)).toEqual([false, false, true, true]);
  await simulator.close();
});

test("the key is not in the data that copies share", () => {
  clientFor(connection("sk-very-secret-key"));
  clientFor(connection("sk-very-secret-key", "https://elsewhere.example.com"));
  const shown = inspect(registry(), { depth: 10, showHidden: true });
  expect(shown).toMatch(/Map\(2\)/);
  expect(shown).not.toContain("secret-key");
});

const budget = (): Budget => ({ enter: () => Promise.resolve(() => undefined), view: () => ({ limit: 1, queued: 0 }) });

test.each([
  ["no map", { web: 1 }],
  ["a map of other things", new Map<string, unknown>([["a", { enter: 1 }]])],
])("%s under the shared name is not used as a budget", (_what, found) => {
  Reflect.defineProperty(globalThis, registryKey, { value: found, configurable: true });
  const made = budget();
  expect(sharedBudget("a", () => made)).toBe(made);
  expect(sharedBudget("a", budget)).toBe(made);
});

test("a client without a budget of its own knows none", () => {
  const client = createClient(() => Promise.reject(new Error("not sent")));
  expect(client.budget.view()).toEqual({ limit: 100, queued: 0 });
});
