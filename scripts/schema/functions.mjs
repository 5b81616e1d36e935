// @ts-check
import ts from "typescript";
import { checker, documented, exported } from "./sources.mjs";
import { asFlags, objectSpec } from "./types.mjs";
import { usageIn } from "./usage.mjs";

/** The data functions: the methods of `DataFunctions` that return promises. */
export function functionSpecs() {
  const all = exported("sdk/dataFunctions.ts", "DataFunctions").members ?? new Map();
  const methods = [...all.values()].filter(({ name }) => !name.endsWith("Output"));
  return Object.fromEntries(methods.map((method) => [`gpucluster:index:${method.name}`, functionSpec(method)]));
}

/**
 * The file with the programs of a function, which `npm run examples` writes.
 *
 * @param {string} name
 */
const examplesOf = (name) => `scripts/schema/examples/${name}.md`;

/** @param {ts.Symbol} method */
function functionSpec(method) {
  const declaration = method.valueDeclaration;
  if (declaration === undefined || !ts.isMethodSignature(declaration)) throw new Error(`${method.name} is no method.`);
  const args = declaration.parameters.find(({ name }) => name.getText() === "args");
  const inputs = args && objectSpec(interfaceOf(args.type, method.name));
  const result =
    declaration.type && ts.isTypeReferenceNode(declaration.type) ? declaration.type.typeArguments?.[0] : undefined;
  return {
    description: `${documented("sdk/dataFunctions.ts", "DataFunctions", method.name)}\n\n${usageIn(examplesOf(method.name))}`,
    ...(inputs && { inputs: { ...inputs, properties: asFlags(inputs.properties) } }),
    outputs: objectSpec(interfaceOf(result, method.name)),
  };
}

/**
 * @param {ts.TypeNode | undefined} node
 * @param {string} name
 */
function interfaceOf(node, name) {
  const symbol = node && checker.getTypeFromTypeNode(node).symbol;
  if (symbol === undefined) throw new Error(`${name} has to take one interface, and to promise one.`);
  return symbol;
}
