import type { EndpointFinding } from "./endpointFindings";
import type { Findings } from "./report";

/** The advice for the findings, mostly about settings. Pure. */
export function adviceFor(findings: Findings): string[] {
  return advices.flatMap(({ holds, text }) => (holds(findings) ? [text(findings)] : []));
}

interface Advice {
  readonly holds: (findings: Findings) => boolean;
  readonly text: (findings: Findings) => string;
}

const listOf = ({ endpoints }: Findings): EndpointFinding | undefined => endpoints[0];
const isRefusedKey = (findings: Findings) => listOf(findings)?.detail?.startsWith("HTTP 401") === true;

/** The list is missing, a web page or a redirect, and so is the descriptor: something else is at the address. */
function isElsewhere(findings: Findings): boolean {
  const list = listOf(findings);
  const isNone = list !== undefined && ["missing", "not readable", "refused"].includes(list.state);
  return isNone && list.excerpt === undefined && !findings.update.isDescribed;
}

const advices: readonly Advice[] = [
  {
    holds: (findings) => listOf(findings)?.state === "no answer",
    text: () => "Check GPUCLUSTER_BASE_URL, and whether this machine can reach that address.",
  },
  {
    holds: isRefusedKey,
    text: () => "Check GPUCLUSTER_API_KEY: the service does not know this key.",
  },
  {
    holds: (findings) => listOf(findings)?.state === "not allowed" && !isRefusedKey(findings),
    text: () => "Create a key that may list clusters, in the dashboard of the service.",
  },
  {
    holds: isElsewhere,
    text: () =>
      "Check GPUCLUSTER_BASE_URL: the address may belong to another service. It ends before /v1, because the provider adds that.",
  },
  {
    holds: (findings) => listOf(findings)?.excerpt !== undefined,
    text: () =>
      "Send this output to the maintainers of pulumi-gpucluster: the list of clusters has a form that this version does not know.",
  },
  {
    holds: ({ rateLimit }) => rateLimit.isUsedUp,
    text: ({ rateLimit: { resetInSeconds } }) =>
      `Run this command again ${resetInSeconds === undefined ? "later" : `in ${resetInSeconds} s`}: the rate limit is used up, so some endpoints were not read.`,
  },
  {
    holds: ({ canManage, requestNames }) => canManage && requestNames.certainty === "open",
    text: () =>
      "Set gpucluster:requestNames to `specification` or `client` if you know which names the service accepts: no answer shows them.",
  },
  {
    holds: ({ replicaHealth }) => replicaHealth.source === "none",
    text: () =>
      'Set `healthCheck: "list"` on clusters: the service shows no health of replicas, so the status of a cluster has to be enough.',
  },
  {
    holds: ({ gpuTypes }) => gpuTypes?.certain === false,
    text: () =>
      "Each preview warns of an unlisted gpuType, as with gpucluster:gpuTypeCheck `warn`: the list is not certain. `off` skips this check.",
  },
  {
    holds: ({ canManage, gpuTypes }) => canManage && gpuTypes === undefined,
    text: () =>
      "Set gpucluster:gpuTypeCheck to `off`: no list of GPU types can be read, so a preview cannot check gpuType.",
  },
];
