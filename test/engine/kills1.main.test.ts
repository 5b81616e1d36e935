import { sweepKills } from "./killSweep";

sweepKills(0, 2);
