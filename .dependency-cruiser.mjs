// Which module may import which, types too. A module imports its own layer and lower ones; those of one line know nothing of
// each other. ARCHITECTURE.md says what is in each.

/** Folders and files, the lowest first. */
const layers = [
  ["provider/base", "provider/contract.ts"],
  ["provider/api/decode", "provider/config"],
  ["provider/api/http"],
  ["provider/api"],
  ["provider/cluster/schema"],
  ["provider/cluster/health"],
  ["provider/cluster/diff"],
  ["provider/cluster/service"],
  ["provider/cluster/wait"],
  ["provider/cluster/steps"],
  ["provider/cluster/operations"],
  ["provider/cluster/preflight"],
  ["provider/cluster/resource.ts"],
  ["provider/functions"],
  ["provider/index.ts"],
  ["provider/adapters", "provider/doctor"],
  ["simulator"],
  ["sdk"],
];

/** The sources of the package. */
const PACKAGE = "^(provider|sdk|simulator)/";

/** The modules of native programs. */
const NATIVE = "^sdk/(native/|(baseCluster|dataFunctions|functionTypes)\\.ts)";

/** What is forbidden beside the order. */
const others = [
  {
    name: "Only api/http/ sends requests.",
    from: { pathNot: "^provider/api/http/(send|address)\\.ts" },
    to: { path: "^node_modules/undici/" },
  },
  {
    name: "Only adapters/ and sdk/ know Pulumi.",
    from: { pathNot: "^(provider/adapters|sdk|examples)/" },
    to: { path: "^node_modules/@pulumi/" },
  },
  {
    name: "The plugin loads Pulumi's messages only: the index of the SDK takes four times as long to load as the plugin.",
    from: { path: "^provider/adapters/(plugin|session)\\.ts" },
    to: { path: "^node_modules/@pulumi/", pathNot: "^node_modules/@pulumi/pulumi/proto/" },
  },
  {
    name: "Only api/ decodes.",
    from: { pathNot: "^provider/api/" },
    to: { path: "^provider/api/decode/(json|lists|clusterRecords|gpuRecords)\\.ts" },
  },
  {
    name: "A resource is built on the client.",
    from: { pathNot: "^provider/(api|doctor)/" },
    to: { path: "^provider/api/http/", pathNot: "/address\\.ts$" },
  },
  {
    name: "An adapter translates; it imports the core through index.ts.",
    from: { path: "^provider/adapters/" },
    to: { path: "^provider/(api|cluster|functions)/", pathNot: "^provider/cluster/schema/" },
  },
  {
    name: "The doctor is built on the client: it examines and manages nothing.",
    from: { path: "^provider/doctor/" },
    to: { path: "^provider/(cluster/|functions/|index)" },
  },
  {
    name: "The simulator shares no code with the client, so that one bug cannot hide in both.",
    // A type only, so that the compiler names a field that the simulator lacks.
    from: { path: "^simulator/", pathNot: "^simulator/extraFields\\.ts" },
    to: { path: "^(provider|sdk)/" },
  },
  {
    name: "The SDK goes through provider/index.ts and the fields.",
    from: { path: "^sdk/", pathNot: "^sdk/command\\.ts" },
    to: {
      path: "^(provider/(api|adapters|doctor)|simulator)/",
      pathNot: "^provider/(api/decode/types|adapters/privateApis)\\.ts",
    },
  },
  {
    name: "The plugin does the work: a native program loads no more of the core than names.",
    from: { path: NATIVE },
    to: {
      path: "^(provider/|sdk/index\\.ts|node_modules/(undici|zod)/)",
      pathNot: "^provider/(cluster/schema/fields|base/version)\\.ts",
      dependencyTypesNot: ["type-only"],
    },
  },
  {
    name: "Examples import the package by its public name.",
    from: { path: "^examples/([^/]+)/" },
    to: { dependencyTypes: ["local"], pathNot: "^examples/$1/" },
  },
];

const all = layers.flat();

/**
 * The files of a layer, without those of the layers inside it.
 *
 * @param {string} layer
 */
function filesOf(layer) {
  if (layer.endsWith(".ts")) return `^${layer.replace(".", "\\.")}$`;
  const inside = all.filter((other) => other.startsWith(`${layer}/`)).map((other) => other.slice(layer.length + 1));
  return `^${layer}/${inside.length > 0 ? `(?!${inside.join("|")})` : ""}`;
}

const severity = "error";

const order = layers.slice(0, -1).flatMap((peers, index) =>
  peers.map((layer) => ({
    name: `${layer} imports lower layers only`,
    severity,
    from: { path: filesOf(layer) },
    to: { path: [...layers.slice(index + 1).flat(), ...peers.filter((peer) => peer !== layer)].map(filesOf) },
  })),
);

export default {
  forbidden: [
    { name: "no cycles", severity, from: {}, to: { circular: true } },
    { name: "every module has a layer", severity, from: { path: PACKAGE, pathNot: all.map(filesOf) }, to: {} },
    ...order,
    ...others.map((rule) => ({ ...rule, severity })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: ["node_modules", "^dist/"] },
  },
};
