import { bestOf } from "./figures";
import { figuresOf } from "./fleet";
import { openOurs } from "./ours";
import { factor } from "./pace";
import type { Row } from "./rows";
import { ScaledClock } from "./scaledClock";

/** The same run on the fast clock and on the real one: the difference is the error of the fast clock. */
export async function twins(): Promise<Row[]> {
  const run = { clusters: 10, provisioningMs: 30_000, phaseMs: 0 };
  const figuresAt = (each: number) => figuresOf(run, openOurs, new ScaledClock(each));
  const real = await figuresAt(1);
  const scaled = bestOf([await figuresAt(factor), await figuresAt(factor), await figuresAt(factor)]);
  const quotient = (scaled.seconds ?? Number.NaN) / (real.seconds ?? Number.NaN);
  const subject = { kind: "twin", who: "ours", clusters: run.clusters, provisioningS: 30 } as const;
  const drift = Math.max(quotient, 1 / quotient);
  return [
    { ...subject, note: "on the real clock", figures: { ...real, drift } },
    { ...subject, note: `the same ${factor} times as fast`, figures: { ...scaled, drift } },
  ];
}
