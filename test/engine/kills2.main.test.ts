import { sweepKills } from "./killSweep";

sweepKills(1, 2);
