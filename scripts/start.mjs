// @ts-check
// `npm start`: the main workflow on the real Pulumi engine, from a fresh clone to the deletion of the cluster.
import { parseArgs } from "node:util";
import { isMain, runMain } from "./lib/root.mjs";
import { ensurePulumiCli } from "./pulumi-cli.mjs";
import { setup } from "./setup.mjs";
import { openRealService, openSimulator } from "./start/service.mjs";
import { Interrupted, openStack } from "./start/stack.mjs";
import { realTour, simulatorTour } from "./start/tour.mjs";

const usage = `npm start                 the tour: create, change, find drift, delete, on a simulated service
npm start -- --keep       the first step only; the stack and the simulator stay
npm start -- --real       the same program on the service of GPUCLUSTER_BASE_URL and GPUCLUSTER_API_KEY; asks first`;

async function main() {
  const { keep, real, help } = parseArgs({
    options: {
      keep: { type: "boolean", default: false },
      real: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  }).values;
  if (help) return console.log(usage);
  if (keep && real) throw new Error("--keep is for the simulator; a real stack is always kept until you destroy it");
  await setup();
  const root = await ensurePulumiCli();
  const service = real ? openRealService() : await openSimulator({ keep });
  const stack = openStack(root, service.env, { isReal: real, isThrowaway: !real && !keep });
  try {
    await stack.init();
    await (real ? realTour(stack) : simulatorTour(stack, service, { keep }));
  } catch (error) {
    const isInterrupted = error instanceof Interrupted;
    const what = isInterrupted ? "Interrupted." : error instanceof Error ? error.message : String(error);
    console.error(`\n${what} ${stack.farewell()}`);
    process.exitCode = isInterrupted ? 130 : 1;
  } finally {
    stack.close();
    await service.close();
  }
}

if (isMain(import.meta.url)) await runMain(main);
