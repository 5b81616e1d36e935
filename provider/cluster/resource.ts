import { type CheckFailure, type Ctx, hasUnknown, type Properties, type Resource } from "../core";
import { ConfigError, messageOf } from "../errors";
import { completeInputs, findFailures, pathStep } from "./check";
import { takenReason } from "./claim";
import { createCluster, deleteCluster, readCluster, updateCluster } from "./cluster";
import { diffCluster } from "./diff";
import type { CheckedInputs } from "./fields";
import { LookUps, onlyHolder } from "./lookups";
import type { Service } from "./service";

/** The cluster resource: the pure parts and the operations, bound to a service that is found at each use. */
export function createClusterResource(service: () => Service): Resource {
  const run = new Run(service);
  return {
    check: (ctx, news, olds) => run.check(ctx, news, olds),
    diff: diffCluster,
    preview: previewCluster,
    create: async (ctx, inputs) => createCluster(service(), ctx, inputs),
    read: async (ctx, id, state = {}) => readCluster(service(), ctx, id, state),
    update: async (ctx, id, state, news) => updateCluster(service(), ctx, id, state, news),
    delete: async (ctx, id, state) => deleteCluster(service(), ctx, id, state),
  };
}

/** What doors find wrong is named by the program too. */
function doorFailures({ failures = [] }: Ctx): CheckFailure[] {
  return failures.map(({ property, reason }) => ({ property: property.split(".").map(pathStep).join("."), reason }));
}

/** What is certain of the outputs before anything is done: an update keeps the endpoint and the time of creation. Pure. */
export function previewCluster(_news: Properties, known: Properties = {}): Properties {
  const certain = ["endpoint", "createdAt"] as const;
  return Object.fromEntries(certain.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]));
}

/** What checks of one run remember of each other. */
class Run {
  readonly #lookUps = new LookUps();
  /** The name in the state, by URN. A replacement is checked twice, the second time without its old inputs. */
  readonly #predecessors = new Map<string, string>();
  /** Which resource has a name, so that two cannot have the same. */
  readonly #owners = new Map<string, string>();
  readonly #warned = new Set<string>();

  constructor(private readonly service: () => Service) {}

  async check(
    ctx: Ctx,
    news: Properties,
    olds: Properties = {},
  ): Promise<{ inputs: Properties; failures: CheckFailure[] }> {
    const failures = [...findFailures(news), ...doorFailures(ctx), ...this.#connectionFailures()];
    const current = typeof olds["name"] === "string" ? olds["name"] : undefined;
    if (current !== undefined && !this.#predecessors.has(ctx.urn)) this.#predecessors.set(ctx.urn, current);
    const predecessor = this.#predecessors.get(ctx.urn);
    const inputs = completeInputs(news, { urn: ctx.urn, current, predecessor });
    if (failures.length > 0 || hasUnknown(inputs.name)) return { inputs, failures };
    if (current !== undefined && olds["__generatedName"] !== true && news["name"] === undefined) {
      this.#warnOnce(ctx, `\`name\` is no longer given; the cluster keeps its name "${current}"`);
    }
    const nameFailures = [...this.#ownerFailures(ctx.urn, inputs), ...(await this.#takenFailures(ctx, inputs, olds))];
    return { inputs: { ...inputs, ...(await this.#preview(inputs, olds)) }, failures: nameFailures };
  }

  /** A missing key is reported with everything else that is wrong, not one run later. */
  #connectionFailures(): CheckFailure[] {
    try {
      this.service();
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return [{ property: "", reason: messageOf(error) }];
    }
  }

  /** The names of hosts know no case, so neither does this. */
  #ownerFailures(urn: string, { name }: CheckedInputs): CheckFailure[] {
    const owner = this.#owners.get(name.toLowerCase()) ?? urn;
    this.#owners.set(name.toLowerCase(), owner);
    if (owner === urn) return [];
    const reason = `"${name}" is the name of the resource ${owner} too; two clusters cannot have the same`;
    return [{ property: "name", reason }];
  }

  /** Fails closed before anything is bought. The predecessor of a replacement is deleted first when it has the same name. */
  async #takenFailures(ctx: Ctx, { name }: CheckedInputs, olds: Properties): Promise<CheckFailure[]> {
    if (olds["name"] === name || this.#predecessors.get(ctx.urn) === name) return [];
    const holders = await this.#holders(name);
    if (typeof holders === "string") {
      const text = `the clusters could not be listed, so whether the name "${name}" is taken shows only when it is created`;
      this.#warnOnce(ctx, `${text}: ${holders}`, "list");
      return [];
    }
    if (holders.length === 0) return [];
    return [{ property: "name", reason: `"${name}" ${takenReason(holders)}` }];
  }

  /** From the old inputs, else from the run's one list of clusters; nothing where another cluster takes its place. */
  async #preview(inputs: CheckedInputs, olds: Properties): Promise<Properties> {
    const isReplaced = Object.values(diffCluster(olds, inputs).changes).some(({ replace }) => replace);
    if (olds["name"] !== inputs.name || isReplaced) return {};
    const known = previewCluster(inputs, olds);
    if (known["endpoint"] !== undefined) return known;
    const holders = await this.#holders(inputs.name);
    return previewCluster(inputs, typeof holders === "string" ? {} : { ...onlyHolder(holders) });
  }

  /** Who has a name; a text says why that could not be told. */
  async #holders(name: string) {
    const service = this.service();
    const list = await this.#lookUps.clusters(service);
    return typeof list === "string" ? list : service.claims.holders(name, list);
  }

  /** Preview and update are two processes, so a warning shows once in each. */
  #warnOnce(ctx: Ctx, text: string, key = `${ctx.urn}\n${text}`): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    ctx.log(text, "warning");
  }
}
