import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { Diff, PropertyChange } from "../../core";

const { Kind } = PropertyDiff;
const kinds = {
  add: { inPlace: Kind.ADD, replacing: Kind.ADD_REPLACE },
  delete: { inPlace: Kind.DELETE, replacing: Kind.DELETE_REPLACE },
  update: { inPlace: Kind.UPDATE, replacing: Kind.UPDATE_REPLACE },
};

/** A difference in the engine's form: each line of its preview is one path. */
export function toDiffResponse({ changes, deleteBeforeReplace = false }: Diff): DiffResponse {
  const entries = Object.entries(changes);
  const names = (some: typeof entries) => [...new Set(some.map(([path]) => splitPath(path).name))];
  const response = new DiffResponse()
    .setChanges(entries.length > 0 ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE)
    .setDiffsList(names(entries))
    .setReplacesList(names(entries.filter(([, { replace }]) => replace)))
    // Also if the list of replaces is empty: the user's replaceOnChanges may add one.
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  for (const [path, change] of entries) response.getDetaileddiffMap().set(toEnginePath(path), toPropertyDiff(change));
  return response;
}

function toPropertyDiff({ kind, replace }: PropertyChange): PropertyDiff {
  return new PropertyDiff().setKind(kinds[kind][replace ? "replacing" : "inPlace"]);
}

/** In the core's paths, everything after the first dot is one key, which may contain dots. */
function splitPath(path: string): { name: string; key: string | undefined } {
  const dot = path.indexOf(".");
  return dot < 0 ? { name: path, key: undefined } : { name: path.slice(0, dot), key: path.slice(dot + 1) };
}

/** `env.MODEL`, or `env["A.B"]` if the key is no plain word. */
export function toEnginePath(path: string): string {
  const { name, key } = splitPath(path);
  if (key === undefined) return name;
  return /^[A-Za-z_]\w*$/.test(key) ? `${name}.${key}` : `${name}[${JSON.stringify(key)}]`;
}
