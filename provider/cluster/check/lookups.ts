import type { CallOptions } from "../../api/client";
import { getServiceInfo } from "../../api/descriptor";
import type { ClusterList, ClusterRecord, GpuList } from "../../api/records";
import { abortable, type Clock, until } from "../../clock";
import { TimeoutError } from "../../errors";
import type { ServiceInfo } from "../../types";
import type { Service } from "../service";

/** A preview must not wait for a service that is down. */
const lookUpLimitMs = 5_000;

/** What was looked up, or why it could not be. */
export type LookUp<T> = { readonly answer: T } | { readonly error: unknown };

/** What one service was asked for in this run. */
interface Asked {
  types?: Promise<LookUp<GpuList>>;
  availability?: Promise<LookUp<GpuList>>;
  pricing?: Promise<LookUp<GpuList>>;
  clusters?: Promise<LookUp<ClusterList>>;
  descriptor?: Promise<LookUp<ServiceInfo>>;
  readonly byId: Map<string, Promise<LookUp<ClusterRecord>>>;
}

/**
 * What the checks of one run look up: each thing once for each service, whatever came of it, and all of it together within
 * one limit. Check runs for one resource after the other, so every wait would add up.
 */
export class LookUps {
  readonly #asked = new Map<Service, Asked>();
  #leftMs = lookUpLimitMs;

  /** @param deadlineMs Of an operation, which waits so long; without one, all that a check may wait is the limit. */
  constructor(readonly deadlineMs?: number) {}

  types(service: Service): Promise<LookUp<GpuList>> {
    const asked = this.#askedOf(service);
    asked.types ??= this.#ask(service, (request) => service.client.listGpuTypes(request));
    return asked.types;
  }

  availability(service: Service): Promise<LookUp<GpuList>> {
    const asked = this.#askedOf(service);
    asked.availability ??= this.#ask(service, (request) => service.client.listGpuAvailability(request));
    return asked.availability;
  }

  pricing(service: Service): Promise<LookUp<GpuList>> {
    const asked = this.#askedOf(service);
    asked.pricing ??= this.#ask(service, (request) => service.client.listGpuPricing(request));
    return asked.pricing;
  }

  /** The clusters, as they were at the first call. */
  clusters(service: Service): Promise<LookUp<ClusterList>> {
    const asked = this.#askedOf(service);
    asked.clusters ??= this.#ask(service, (request) => service.lists.recent(0, request));
    return asked.clusters;
  }

  /** The descriptor document, which names the endpoints that there are. */
  descriptor(service: Service): Promise<LookUp<ServiceInfo>> {
    const asked = this.#askedOf(service);
    asked.descriptor ??= this.#ask(service, (request) => getServiceInfo(service.client, request));
    return asked.descriptor;
  }

  cluster(service: Service, id: string): Promise<LookUp<ClusterRecord>> {
    const { byId } = this.#askedOf(service);
    const look = byId.get(id) ?? this.#ask(service, (request) => service.client.getCluster(id, request));
    byId.set(id, look);
    return look;
  }

  #askedOf(service: Service): Asked {
    const asked = this.#asked.get(service) ?? { byId: new Map() };
    this.#asked.set(service, asked);
    return asked;
  }

  async #ask<T>({ clock }: Service, send: (request: CallOptions) => Promise<T>): Promise<LookUp<T>> {
    const { deadlineMs } = this;
    if (deadlineMs !== undefined)
      return send({ deadlineMs }).then(
        (answer) => ({ answer }),
        (error) => ({ error }),
      );
    if (this.#leftMs <= 0) return { error: tooLate() };
    const startMs = clock.now();
    try {
      return { answer: await within(clock, this.#leftMs, send) };
    } catch (error) {
      return { error };
    } finally {
      this.#leftMs -= clock.now() - startMs;
    }
  }
}

/** At most two attempts, and no wait for a rate limit. */
function within<T>(clock: Clock, limitMs: number, send: (request: CallOptions) => Promise<T>): Promise<T> {
  const deadlineMs = clock.now() + limitMs;
  return until({ clock, deadlineMs, late: tooLate }, (signal) =>
    abortable(send({ attempts: 2, patienceMs: 0, deadlineMs, signal }), signal),
  );
}

function tooLate(): TimeoutError {
  return new TimeoutError(`no answer within ${lookUpLimitMs / 1000} s, which is all that the checks of a run may wait`);
}
