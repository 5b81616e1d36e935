import fc from "fast-check";

/**
 * The seed of all random trials: the same in each run, so that a commit passes or fails the same way twice. `SEED=random` draws
 * other values, and `SEED=` with the number in the report of a failure repeats it.
 */
const { SEED = "20261128" } = process.env;

if (SEED !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(SEED) });
