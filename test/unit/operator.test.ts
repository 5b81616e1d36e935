import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import manifest from "../../package.json";

const root = join(__dirname, "../..");
const folder = join(root, "examples/operator");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

type Schema = Record<string, unknown>;
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas say what it is
  readonly [field: string]: any;
}

const manifests = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .flatMap((name) => parseAllDocuments(read(name)).map((document): Manifest => document.toJS()));
const [stack, ...otherStacks] = manifests.filter(({ kind }) => kind === "Stack");
if (stack === undefined) throw new Error("there is no Stack");

const text = { type: "string" };
const object = (properties: Schema, required = Object.keys(properties)) => ({ type: "object", properties, required });
const metadata = object({ name: text, namespace: text, labels: {}, annotations: {} }, ["name"]);

/** A structural schema of Kubernetes as JSON Schema: fields that it does not name are forbidden, as with strict validation. */
function closed(schema: Schema): Schema {
  const { properties, additionalProperties, items, ...others } = schema;
  const kept = Object.entries(others).filter(([name]) => !name.startsWith("x-") && name !== "description");
  const result: Schema = Object.fromEntries(kept);
  if (schema["x-kubernetes-int-or-string"]) {
    return { anyOf: [{ type: "integer" }, { type: "string", pattern: schema["pattern"] ?? "" }] };
  }
  if (items) result["items"] = closed(items as Schema);
  if (additionalProperties) result["additionalProperties"] = closed(additionalProperties as Schema);
  if (properties) {
    const entries = Object.entries(properties).map(([name, property]) => [name, closed(property as Schema)]);
    result["properties"] = Object.fromEntries(entries);
  }
  const isOpen = additionalProperties || schema["x-kubernetes-preserve-unknown-fields"];
  if (schema["type"] === "object" && !isOpen) result["additionalProperties"] = false;
  return result;
}

const ofKubernetes: Record<string, Schema> = {
  "v1 ServiceAccount": object({ apiVersion: text, kind: text, metadata }),
  "rbac.authorization.k8s.io/v1 ClusterRoleBinding": object({
    apiVersion: text,
    kind: text,
    metadata,
    roleRef: object({ apiGroup: text, kind: text, name: text }),
    subjects: { type: "array", items: object({ kind: text, name: text, namespace: text }) },
  }),
};

const crds = join(root, "test/fixtures/crds");
const ofOperator = readdirSync(crds)
  .filter((name) => name.endsWith(".yaml"))
  .flatMap((name) => {
    const { group, names, versions } = parse(readFileSync(join(crds, name), "utf8")).spec;
    // biome-ignore lint/suspicious/noExplicitAny: part of the file
    return versions.map((version: any): [string, Schema] => {
      const { openAPIV3Schema } = version.schema;
      const properties = { ...openAPIV3Schema.properties, metadata };
      return [`${group}/${version.name} ${names.kind}`, { ...openAPIV3Schema, properties }];
    });
  });
const schemas = new Map<string, Schema>([...Object.entries(ofKubernetes), ...ofOperator]);

/** What is wrong with a manifest. */
function faultsOf(object: Manifest): string[] {
  const schema = schemas.get(`${object.apiVersion} ${object.kind}`);
  if (schema === undefined) return [`no schema of ${object.apiVersion} ${object.kind}`];
  const { error } = z.fromJSONSchema(closed(schema)).safeParse(object);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

/** The rules of a schema in CEL, which are no JSON Schema. */
function rulesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = (value as Schema)["x-kubernetes-validations"] as { rule: string }[] | undefined;
  return [...(own ?? []).map(({ rule }) => rule), ...Object.values(value).flatMap(rulesIn)];
}

describe("the manifests of examples/operator", () => {
  it.each(manifests.map((object) => [object.kind, object] as const))(
    "%s has only known fields, of the right type",
    (_, object) => {
      expect(faultsOf(object)).toEqual([]);
    },
  );

  it("are all that the operator needs", () => {
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      "ClusterRoleBinding",
      "Program",
      "ServiceAccount",
      "Stack",
    ]);
    expect(otherStacks).toEqual([]);
  });

  it("keep the rules that are no JSON Schema", () => {
    expect([...new Set(ofOperator.flatMap(([, schema]) => rulesIn(schema)))]).toEqual([
      "size(self.metadata.name) <= 42",
    ]);
    expect(stack.metadata.name.length).toBeLessThanOrEqual(42);
  });

  it("name each other", () => {
    const of = (kind: string) => manifests.find((object) => object.kind === kind);
    const { namespace } = stack.metadata;
    expect(of("Program")?.metadata).toEqual({ name: stack.spec.programRef.name, namespace });
    expect(of("ServiceAccount")?.metadata).toEqual({ name: stack.spec.serviceAccountName, namespace });
    expect(of("ClusterRoleBinding")?.subjects).toEqual([
      { kind: "ServiceAccount", name: stack.spec.serviceAccountName, namespace },
    ]);
  });

  it("contain no secret, only references", () => {
    const references = { ...stack.spec.envRefs, ...stack.spec.secretsRef };
    const literals = Object.entries<Schema>(references).filter(([, { type }]) => type !== "Secret");
    expect(literals.map(([name]) => name)).toEqual(["GPUCLUSTER_BASE_URL"]);
    expect(Object.keys(references)).toEqual(
      expect.arrayContaining(["GPUCLUSTER_API_KEY", "PULUMI_CONFIG_PASSPHRASE", "hfToken"]),
    );
  });
});

describe("a fault in a manifest is found", () => {
  const container = ["spec", "workspaceTemplate", "spec", "podTemplate", "spec", "containers", "0"];
  it.each<[string, string[], unknown, RegExp]>([
    ["an unknown field", ["spec", "brannch"], "main", /^spec: Unrecognized key: "brannch"/],
    ["an unknown field of a pod", [...container, "imagee"], "x", /containers\.0: Unrecognized key: "imagee"/],
    ["an unknown field of the metadata", ["metadata", "names"], "x", /^metadata: Unrecognized key/],
    ["a wrong type", ["spec", "refresh"], "yes", /^spec\.refresh: .*expected boolean/],
    ["a value that is not allowed", ["spec", "workspaceReclaimPolicy"], "Never", /^spec\.workspaceReclaimPolicy: /],
    [
      "a quantity that is none",
      ["spec", "workspaceTemplate", "spec", "resources", "limits", "cpu"],
      "many",
      /limits\.cpu: /,
    ],
    ["a missing field", ["spec", "stack"], undefined, /^spec\.stack: /],
    ["another version", ["apiVersion"], "pulumi.com/v2", /^no schema of pulumi\.com\/v2 Stack/],
  ])("%s", (_, path, value, fault) => {
    const copy = structuredClone(stack);
    // biome-ignore lint/suspicious/noExplicitAny: any field
    const parent = path.slice(0, -1).reduce<any>((object, name) => object[name], copy);
    parent[path.at(-1) ?? ""] = value;
    expect(faultsOf(copy)).toEqual([expect.stringMatching(fault)]);
  });
});

describe("the image", () => {
  const image = read("Dockerfile");

  it("has the CLI that all this is tested with, and the plugin of this version", () => {
    const { version, devDependencies } = manifest;
    expect(image).toContain(`FROM pulumi/pulumi-base:${devDependencies.pulumi}\n`);
    expect(image).toContain(`ARG GPUCLUSTER_VERSION=${version}\n`);
    expect(read("program.yaml")).toContain(`version: ${version} `);
    expect(stack.spec.workspaceTemplate.spec.image).toMatch(new RegExp(`:${version}$`));
  });
});
