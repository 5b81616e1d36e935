/** Forms in which services show what they were told. Pure. */

interface Image {
  readonly host: string;
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
}

/**
 * Whether an image that is shown is the one that was asked for, with what the service has added to its reference: the registry
 * that is meant where none is named, a tag, a digest. What was said is never ignored.
 */
export function sameImage(asked: string, shown: string): boolean {
  const own = parseImage(asked);
  const other = parseImage(shown);
  const isKept = (part: "tag" | "digest") => own[part] === undefined || own[part] === other[part];
  return own.path === other.path && own.host === other.host && isKept("tag") && isKept("digest");
}

/**
 * Whether an image that is shown may be the service's own way to write the one that was asked for: a mirror or a digest keeps
 * the name of the image, and what is no reference at all names nothing else.
 */
export function mayBeImage(asked: string, shown: string): boolean {
  const isReference = /[/:]/.test(shown);
  return !isReference || shown.includes(parseImage(asked).path.split("/").at(-1) ?? asked);
}

/** Whether two references name two tags, or two digests, of which only one can be meant. */
export function differsInTag(asked: string, shown: string): boolean {
  const [own, other] = [parseImage(asked), parseImage(shown)];
  const differs = (part: "tag" | "digest") =>
    own[part] !== undefined && other[part] !== undefined && own[part] !== other[part];
  return differs("tag") || differs("digest");
}

/** The registry of images whose reference names none. */
const defaultHost = "docker.io";

function parseImage(reference: string): Image {
  const [name = "", digest] = reference.split("@");
  const [, path = name, tag] = /^(.*?)(?::([^:/]+))?$/.exec(name) ?? [];
  const [first = "", ...rest] = path.split("/");
  // As container tools tell a registry from a folder.
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const inner = hasHost ? rest.join("/") : path;
  const host = hasHost ? first : defaultHost;
  return { host: host.replace(/^index\./, ""), path: inner.replace(/^library\//, ""), tag, digest };
}

/** True when a value is not shown: nothing, a row of marks, or a word in its place. */
export function isMasked(shown: string | null): boolean {
  return (
    shown === null ||
    /^(enc|encrypted|kms|vault|sha\d+|hmac)[:(]/i.test(shown) ||
    /^\W*$|([*•●x#.\-_])\1\1|redacted|masked|hidden|secret|encrypted|sensitive/i.test(shown)
  );
}

/** The names of hosts know no case, and neither do types of GPUs. */
export function sameText(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}
