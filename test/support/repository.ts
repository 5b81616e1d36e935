import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The folder of this repository. */
export const repository = resolve(__dirname, "../..");

/** The text of a file of this repository. */
export const read = (file: string) => readFileSync(join(repository, file), "utf8");

export const manifest = JSON.parse(read("package.json"));
