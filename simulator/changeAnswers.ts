import { randomBytes } from "node:crypto";
import type { Answer } from "./answer";
import type { PerValue } from "./dialectOptions";

/** Answer of DELETE; `answered` is the cluster's record in other answers. */
export const deleted: PerValue<"deleteAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  "empty-204": () => ({ status: 204 }),
  "empty-202": () => ({ status: 202 }),
};

/** Answer of stop, restart, scale and redeploy. */
export const acted: PerValue<"actionAnswer", (answered: unknown) => Answer> = {
  cluster: (answered) => ({ status: 200, body: answered }),
  "empty-202": () => ({ status: 202 }),
  // The id looks like an operation's, but no request can read it: the specification has no path for operations.
  operation: () => ({ status: 202, body: { id: `op_${randomBytes(4).toString("hex")}`, status: "accepted" } }),
};
