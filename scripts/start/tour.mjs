// @ts-check
import { setTimeout } from "node:timers/promises";
import { styleText } from "node:util";

/** @typedef {import("./stack.mjs").Stack} Stack */
/** @typedef {import("./service.mjs").Service} Service */

/** @param {string} text */
function say(text) {
  const line = `▶ ${text}`;
  console.log(`\n${process.stdout.isTTY ? styleText(["bold", "cyan"], line) : line}`);
}

/**
 * @param {Stack} stack
 * @param {Service} service
 * @param {{ keep: boolean }} options
 */
export async function simulatorTour(stack, { env, note }, { keep }) {
  say("Create one cluster on the cheapest GPU type that is available, and wait until both replicas are healthy");
  await stack.pulumi("up", "--yes", "--skip-preview");
  say("Its endpoint");
  await stack.pulumi("stack", "output", "endpoint");
  if (keep) return sayKept(stack, note);

  say("Request a third replica and a longer context, and preview the change");
  await stack.pulumi("config", "set", "replicas", "3");
  await stack.pulumi("config", "set", "contextSize", "16384");
  await stack.pulumi("preview", "--diff");
  say("Apply it: first the longer context, then, when both replicas run with it, the third one");
  await stack.pulumi("up", "--yes", "--skip-preview");

  say("Another user scales the cluster to 5");
  await scaleBehindItsBack(env, 5);
  say("A refresh finds the drift");
  await stack.pulumi("refresh", "--yes", "--skip-preview", "--diff");
  say("The next up corrects it");
  await stack.pulumi("up", "--yes", "--skip-preview", "--diff");

  say("Delete the cluster, and wait until it is gone");
  await stack.pulumi("destroy", "--yes", "--skip-preview");
  say("Done: nothing is left running");
}

/** @param {Stack} stack */
export async function realTour(stack) {
  say("This creates a cluster that costs money. Pulumi shows what it would do, and asks");
  await stack.pulumi("up");
  say("Its endpoint");
  await stack.pulumi("stack", "output", "endpoint");
  say("The cluster runs, and is paid for, until you destroy it");
  console.log(stack.farewell());
}

/**
 * @param {Stack} stack
 * @param {string | undefined} note
 */
function sayKept(stack, note) {
  say("The stack and the simulator are up");
  console.log(stack.farewell());
  console.log(`To end the simulator, which forgets its clusters:\n  ${note}`);
}

/**
 * Scales the cluster directly over the API, as another program would.
 *
 * @param {Record<string, string>} env
 * @param {number} replicas
 */
async function scaleBehindItsBack({ GPUCLUSTER_BASE_URL: url, GPUCLUSTER_API_KEY: key }, replicas) {
  const authorization = `Bearer ${key}`;
  const answer = await fetch(`${url}/v1/clusters`, { headers: { authorization } });
  const { clusters } = /** @type {{ clusters: { id: string }[] }} */ (await answer.json());
  const path = `/v1/clusters/${clusters[0]?.id}/scale`;
  const { status } = await fetch(url + path, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ replicas }),
  });
  console.log(`POST ${path} {"replicas":${replicas}} -> HTTP ${status}`);
  await setTimeout(4_500); // until the new replicas are ready, so that only the replica count is drift
}
