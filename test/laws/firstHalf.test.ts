import { testLives } from "./share";

describe("lives of a cluster (first half)", () => testLives(0));
