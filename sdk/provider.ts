import * as pulumi from "@pulumi/pulumi";
import { createProvider } from "../provider";

/** The provider for functions that run in the program itself, with the config of the program's stack. */
export const provider = createProvider((fullName) => {
  const [namespace = "", name = ""] = fullName.split(":");
  return new pulumi.Config(namespace).get(name);
});
