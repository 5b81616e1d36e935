import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import manifest from "../../package.json";

const root = join(__dirname, "../..");
const folder = join(root, "examples/operator");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

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

/**
 * The fields that the example uses, as version 2.9.0 of the operator and Kubernetes have them. Every object is closed: another
 * field is a fault.
 */
const text = z.string();
const record = z.record(text, text);
const quantity = z.string().regex(/^\d+(\.\d+)?(m|[kMGTPE]i?)?$/);
const quantities = z.strictObject({ cpu: quantity.optional(), memory: quantity.optional() });
const named = z.strictObject({ name: text, namespace: text.optional() });
const reference = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("Literal"), literal: z.strictObject({ value: text }) }),
  z.strictObject({ type: z.literal("Secret"), secret: z.strictObject({ name: text, key: text }) }),
]);
const references = z.record(text, reference);

const podSpec = z.strictObject({
  terminationGracePeriodSeconds: z.int().optional(),
  containers: z.array(z.strictObject({ name: text })),
});

const workspaceSpec = z.strictObject({
  image: text.optional(),
  securityProfile: z.enum(["baseline", "restricted"]).optional(),
  resources: z.strictObject({ requests: quantities, limits: quantities }).optional(),
  podTemplate: z.strictObject({ spec: podSpec }).optional(),
});

const stackSpec = z.strictObject({
  stack: text,
  programRef: z.strictObject({ name: text }).optional(),
  backend: text.optional(),
  serviceAccountName: text.optional(),
  refresh: z.boolean().optional(),
  continueResyncOnCommitMatch: z.boolean().optional(),
  destroyOnFinalize: z.boolean().optional(),
  envRefs: references.optional(),
  config: record.optional(),
  secretsRef: references.optional(),
  updateTemplate: z
    .strictObject({ spec: z.strictObject({ parallel: z.int(), ttlAfterCompleted: z.string().regex(/^(\d+[hms])+$/) }) })
    .optional(),
  workspaceTemplate: z.strictObject({ spec: workspaceSpec }).optional(),
});

const program = z.strictObject({
  resources: z.record(
    text,
    z.strictObject({
      type: text,
      properties: z.record(text, z.unknown()),
      options: z.strictObject({ version: text, customTimeouts: record }),
    }),
  ),
  outputs: record,
});

const kinds: Record<string, z.ZodRawShape> = {
  "pulumi.com/v1 Stack": { metadata: named.extend({ name: text.max(42) }), spec: stackSpec },
  "pulumi.com/v1 Program": { metadata: named, program },
  "v1 ServiceAccount": { metadata: named },
  "rbac.authorization.k8s.io/v1 ClusterRoleBinding": {
    metadata: named,
    roleRef: z.strictObject({ apiGroup: text, kind: text, name: text }),
    subjects: z.array(z.strictObject({ kind: text, name: text, namespace: text })),
  },
};

/** What is wrong with a manifest. */
function faultsOf(object: Manifest): string[] {
  const shape = kinds[`${object.apiVersion} ${object.kind}`];
  if (shape === undefined) return [`no schema of ${object.apiVersion} ${object.kind}`];
  const { error } = z.strictObject({ apiVersion: text, kind: text, ...shape }).safeParse(object);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
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
    const literals = Object.entries<{ type: string }>(references).filter(([, { type }]) => type !== "Secret");
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
    [
      "a value that is not allowed",
      ["spec", "workspaceTemplate", "spec", "securityProfile"],
      "open",
      /^spec\.workspaceTemplate\.spec\.securityProfile: /,
    ],
    ["a name that is too long", ["metadata", "name"], "x".repeat(43), /^metadata\.name: /],
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
