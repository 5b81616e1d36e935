import type { Client } from "../api/client";
import { clientFor, fingerprint } from "../api/clients";
import { askAddress } from "../api/http/address";
import { type Clock, systemClock } from "../base/clock";
import { type Connection, heartbeatMs, type Settings } from "../config/settings";
import type { Properties, Resource } from "../contract";
import { Checks } from "./check/check";
import { diffAdopted } from "./compare/adoption";
import { withCost } from "./compare/diff";
import { previewOutputs } from "./compare/transition";
import { asInputs, asState, readableState } from "./model/state";
import { Capacity } from "./operations/capacity";
import { type CreatingService, type CreationContext, createCluster, UnfinishedCreations } from "./operations/create";
import { Creations } from "./operations/createOnce";
import { deleteCluster } from "./operations/delete";
import { readCluster } from "./operations/read";
import { adoptCluster, updateCluster } from "./operations/update";
import { Forms } from "./shared/forms";
import { ListCache, Refreshes } from "./shared/listCache";
import { defaultTimeoutsMs } from "./shared/operation";
import { OwnedIds } from "./shared/ownedIds";
import { Poller } from "./wait/poller";

/** The cluster resource: its pure parts and its operations. Each use reads the settings anew. */
export function createClusterResource(serviceOf: () => CreatingService, settings: () => Settings): Resource {
  const checks = new Checks(serviceOf, settings);
  const unfinished = new UnfinishedCreations();
  return {
    check: async (ctx, news, olds) => checks.check(ctx, news, olds && readableState(olds)),
    recognize: async (ctx, id, state, news) =>
      checks.recognize(ctx, id, asState(readableState(state)), checks.withTypeOf(ctx.urn, state, news)),
    diff: (state, news, { id, urn } = {}) => {
      if (urn !== undefined) checks.remember(urn, asState(readableState(state)));
      const inputs = checks.withTypeOf(urn, state, news);
      return withCost(diffAdopted(state, inputs, id, checks.fixedOf(urn, state)), state, inputs);
    },
    preview: previewOutputs,
    create: async (given, requested) => {
      const inputs = asInputs(requested);
      const service = serviceOf();
      // One deadline for the whole operation, whatever it tries.
      const { startMs = service.clock.now(), timeoutMs = defaultTimeoutsMs.create } = given;
      const ctx = { ...given, startMs, timeoutMs };
      const types = checks.typesOf(ctx.urn, inputs);
      const context: CreationContext = {
        types,
        take: (type) => checks.take(ctx, inputs, type),
        adopt: (wanted, id, why) => adoptCluster(service, ctx, wanted, id, { types, ...why }),
        isResumable: checks.mayResume(ctx.urn, inputs),
      };
      const create = () => createCluster(service, ctx, inputs, context);
      const goOn = (id: string, state: Properties) =>
        updateCluster(service, ctx, id, state, checks.withTypeOf(ctx.urn, state, { ...inputs }));
      return unfinished.run(ctx.urn, { ...inputs }, create, goOn);
    },
    read: async (ctx, id, state = {}) => readCluster(serviceOf(), ctx, id, state),
    update: async (ctx, id, state, requested) => {
      const news = checks.withTypeOf(ctx.urn, state, requested);
      unfinished.ended(id);
      return updateCluster(serviceOf(), ctx, id, state, news);
    },
    delete: async (ctx, id, state) => {
      unfinished.ended(id);
      return deleteCluster(serviceOf(), ctx, id, state);
    },
  };
}

const services = new WeakMap<Client, CreatingService>();

/** The shared parts of a connection, made once in this process. */
export function serviceFor(connection: Connection): CreatingService {
  const client = clientFor(connection, systemClock);
  const service =
    services.get(client) ??
    createService(client, fingerprint(connection), systemClock, heartbeatMs(), connection.baseUrl);
  services.set(client, service);
  return service;
}

export function createService(
  client: Client,
  seenBy: string,
  clock: Clock,
  heartbeat: number,
  address = "",
): CreatingService {
  const lists = new ListCache(client, clock);
  const owned = new OwnedIds();
  const poller = new Poller(client, lists, clock, heartbeat);
  return {
    client,
    lists,
    poller,
    capacity: new Capacity(client),
    creations: new Creations(client, lists, owned, clock),
    owned,
    refreshes: new Refreshes(lists),
    forms: new Forms(),
    clock,
    ask: askAddress,
    seenBy: seenBy.slice(0, 8),
    address,
  };
}
