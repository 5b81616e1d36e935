import type { Row } from "./rows";

/** Measures something, and says what in rows. */
export type Job = () => Promise<Row[]>;
