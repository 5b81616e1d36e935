import * as pulumi from "@pulumi/pulumi";
import { plainKeyText } from "../provider/config";

/** A value of the stack's config by its full name, such as `gpucluster:apiKey`. */
export function readConfig(fullName: string): string | undefined {
  const [namespace = "", name = ""] = fullName.split(":");
  return new pulumi.Config(namespace).get(name);
}

/** The runs that were warned, by their stack: one process of the Automation API has several. */
const warned = new WeakSet<object>();

/** Says once a run that a key in the stack's config is no secret. Only the program knows: the engine tells no provider. */
export function warnOfPlainKeys(): void {
  const run = pulumi.runtime.getStackResource() ?? warned;
  const isSecret: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  if (warned.has(run) || typeof isSecret !== "function") return;
  warned.add(run);
  const places = `Pulumi.${pulumi.getStack()}.yaml, and perhaps in the state`;
  const text = plainKeyText(readConfig, (name) => isSecret(name) === true, places);
  if (text !== undefined) void pulumi.log.warn(text);
}
