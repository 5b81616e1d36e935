import type { ClusterChanges, Dialect } from "../../../simulator";
import { resolveDialect } from "../../../simulator/dialects";
import { closeAll } from "../cluster/harness";
import { create, names, open, read, toDo, update, web } from "./harness";

afterEach(closeAll);

const { MODEL = "", ...others } = web.env ?? {};

interface Drift {
  readonly what: string;
  readonly changes: ClusterChanges;
  /** The paths of the difference in a preview, if the dialect shows it. */
  readonly paths: readonly string[];
  isShown(dialect: Dialect): boolean;
}

const always = () => true;
const showsContainer = ({ containerEcho }: Dialect) => containerEcho !== "none";
const showsNames = ({ envEcho }: Dialect) => envEcho !== "none";
const showsValues = ({ envEcho }: Dialect) => envEcho === "same";

const drifts: Drift[] = [
  { what: "more replicas", changes: { replicas: 4 }, paths: ["replicas"], isShown: always },
  { what: "fewer replicas", changes: { replicas: 1 }, paths: ["replicas"], isShown: always },
  { what: "another container", changes: { container: "team/server:9" }, paths: ["container"], isShown: showsContainer },
  { what: "a lost variable", changes: { env: others }, paths: ["env.MODEL"], isShown: showsNames },
  {
    what: "an added variable",
    changes: { env: { ...web.env, FOREIGN: "foreign-value" } },
    paths: ["env.FOREIGN"],
    isShown: showsNames,
  },
  {
    what: "another value",
    changes: { env: { ...others, MODEL: "another-model" } },
    paths: ["env.MODEL"],
    isShown: showsValues,
  },
];

describe.each(names)("in the dialect %s", (name) => {
  const dialect = resolveDialect(name);

  it.each(drifts)("$what is found by a refresh if it is shown, and corrected", async ({ changes, paths, isShown }) => {
    const bench = await open(name);
    const held = await create(bench);
    bench.simulator.change(held.id, changes);
    const found = await read(bench, held);
    expect(toDo(bench, found, web)).toEqual(isShown(dialect) ? paths : []);
    if (isShown(dialect)) await update(bench, found, web);
  });

  it("drift of all fields is corrected in one update", async () => {
    const bench = await open(name);
    const held = await create(bench);
    bench.simulator.change(held.id, {
      replicas: 1,
      container: "team/server:9",
      env: { MODEL, FOREIGN: "foreign-value" },
    });
    const found = await read(bench, held);
    const paths = [
      "replicas",
      ...(showsContainer(dialect) ? ["container"] : []),
      ...(showsNames(dialect) ? ["env.EMPTY", "env.FOREIGN", "env.MODE"] : []),
    ];
    expect(toDo(bench, found, web).sort()).toEqual(paths.sort());
    // Hidden drift is corrected only by an update that sends all fields.
    if (showsNames(dialect) && showsContainer(dialect)) await update(bench, found, web);
  });
});
