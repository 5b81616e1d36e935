import type { CheckFailure } from "../core";

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration of Pulumi's `customTimeouts`, such as `45m` or `1h30m`; `undefined` if the text is none. */
export function parseDuration(text: unknown): number | undefined {
  if (typeof text !== "string" || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const ms = parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (unitMs[unit ?? ""] ?? 0), 0);
  return ms > 0 ? ms : undefined;
}

/** The operations in Pulumi's `customTimeouts`; newer versions have `read`. */
const operations: ReadonlySet<string> = new Set(["create", "update", "delete", "read"]);

/** A failure for every timeout that cannot be parsed. */
export function findTimeoutFailures(timeouts: unknown): CheckFailure[] {
  return Object.entries(typeof timeouts === "object" && timeouts !== null ? timeouts : {}).flatMap(([name, text]) => {
    const reason = operations.has(name)
      ? parseDuration(text) === undefined && "must be a length of time, such as 45m or 1h30m"
      : "is not an operation; there are create, update and delete";
    return reason ? [{ property: `customTimeouts.${name}`, reason }] : [];
  });
}
