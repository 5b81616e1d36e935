import { sweepResumed } from "./killSweep";

sweepResumed("dynamic");
