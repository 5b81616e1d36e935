import type { Row } from "./rows";

/** One measurement, which returns rows. */
export type Job = () => Promise<Row[]>;
