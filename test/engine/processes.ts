import { spawnSync } from "node:child_process";

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly command: string;
}

/** The processes of this provider that a running CLI has started, by adapter: it starts one for each of its providers. */
const adapters = {
  dynamic: /@pulumi\/pulumi\/cmd\/dynamic-provider\/\S/,
  // Not the short-lived process that only resolves the path of this script.
  native: /pulumi-resource-gpucluster \S/,
};

/** Those of one adapter, or of either; none if the CLI has not started them yet. */
export function findProviders(cli: number, adapter?: keyof typeof adapters): number[] {
  const listed = list();
  const family = familyOf(cli, listed);
  const patterns = adapter ? [adapters[adapter]] : Object.values(adapters);
  const isProvider = (command: string) => patterns.some((pattern) => pattern.test(command));
  return listed.filter(({ pid, command }) => family.has(pid) && isProvider(command)).map(({ pid }) => pid);
}

function familyOf(root: number, listed: readonly Listed[]): Set<number> {
  const family = new Set([root]);
  // A child may be listed before its parent, so the family grows until a pass finds no new process.
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of listed) if (family.has(parent)) family.add(pid);
  }
  return family;
}

/** Whether a process is alive; a zombie, whose parent has not read its exit status, is not. */
export function isAlive(pid: number): boolean {
  return list().some((listed) => listed.pid === pid && !listed.state.startsWith("Z"));
}

/** Every process of this machine, by options that every `ps` supports. */
function list(): Listed[] {
  const { stdout } = spawnSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8" });
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, state = "", command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), state, command }];
  });
}
