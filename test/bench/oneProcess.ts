import { openers } from "./contenders";
import { createAll, namesOf, warmUp } from "./fleets";
import type { Order } from "./processes";
import { ScaledClock } from "./scaledClock";

/** One process of several: loads everything, reports that it is ready, and creates its own fleet when it receives its order. */
async function main(): Promise<void> {
  await warmUp(10);
  process.once("message", (order: Order) => void obey(order));
  process.send?.("loaded");
}

async function obey({ who, prefix, clusters, factor, originMs, ...address }: Order): Promise<void> {
  const clock = new ScaledClock(factor, originMs);
  const made = await createAll(openers[who](address, clock), namesOf(prefix, clusters));
  process.send?.({ ready: made.length, endMs: clock.now() });
}

void main();
