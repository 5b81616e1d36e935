import { openSettled } from "../harness";
import { checked } from "../inputs";

const optional = [
  "env",
  "extraFields",
  "replicaStatuses",
  "unverifiedInputs",
  "restartTriggers",
  "__fixed",
  "__observed",
];

it.each(["read", "update", "delete"] as const)(
  "%s accepts a state with null for absent properties",
  async (operation) => {
    const { fixture, id, state } = await openSettled(checked);
    const { cluster } = fixture;
    const edited = { ...state, ...Object.fromEntries(optional.map((name) => [name, null])) };
    const works = {
      read: () => cluster.read(fixture.ctx(), id, edited),
      update: () => cluster.update(fixture.ctx(), id, edited, { ...checked, replicas: 1 }),
      delete: () => cluster.delete(fixture.ctx(), id, edited),
    };
    await fixture.run<unknown>(works[operation]());
  },
);
