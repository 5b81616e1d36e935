import { openers } from "./contenders";
import { createOne, figuresOf, wantedOf } from "./fleet";
import { openOurs } from "./ours";
import type { Order } from "./processes";
import { ScaledClock } from "./scaledClock";

/** One process of several: loads everything, reports that it is ready, and creates its own fleet when it receives its order. */
async function main(): Promise<void> {
  const run = { clusters: 10, provisioningMs: 100, phaseMs: 0 };
  await figuresOf(run, openOurs, new ScaledClock(10));
  process.once("message", (order: Order) => void obey(order));
  process.send?.("loaded");
}

async function obey({ who, prefix, clusters, factor, originMs, ...address }: Order): Promise<void> {
  const clock = new ScaledClock(factor, originMs);
  const contender = openers[who](address, clock);
  const wanted = wantedOf(prefix, clusters);
  process.send?.(await Promise.all(wanted.map((each) => createOne(contender, each, clock))));
}

void main();
