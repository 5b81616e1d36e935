import { sweepResumed } from "./killSweep";

sweepResumed("native");
