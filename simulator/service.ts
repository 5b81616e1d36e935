import type { Dialect } from "./dialectOptions";
import type { FaultBook } from "./faultBook";
import type { Fleet } from "./fleet";

/** The data that the endpoints use. */
export interface Service {
  fleet: Fleet;
  dialect: Dialect;
  faults: FaultBook;
}
