import { testLives } from "./share";

describe("lives of a cluster (second half)", () => testLives(1));
