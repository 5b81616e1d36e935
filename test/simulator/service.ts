import type { Dialect } from "./dialectOptions";
import type { FaultBook } from "./faultBook";
import type { Fleet } from "./fleet";

/** What the endpoints work on. */
export interface Service {
  fleet: Fleet;
  dialect: Dialect;
  faults: FaultBook;
}
