// @ts-check
import ts from "typescript";
import { checker, documentation, meanings } from "./sources.mjs";

/** @typedef {Record<string, unknown>} Spec A piece of the schema. */

/** The types with a name of their own in the schema: those that `typeSpec` has met so far. */
export const namedTypes = /** @type {Record<string, Spec>} */ ({});

const ANY = { $ref: "pulumi.json#/Any" };

/** @type {[ts.SyntaxKind, Spec][]} */
const keywords = [
  [ts.SyntaxKind.StringKeyword, { type: "string" }],
  [ts.SyntaxKind.NumberKeyword, { type: "number" }],
  [ts.SyntaxKind.BooleanKeyword, { type: "boolean" }],
  [ts.SyntaxKind.UnknownKeyword, ANY],
];

/**
 * The schema's form of a type, from its source text: the compiler's types do not keep the names of aliases.
 *
 * @param {ts.TypeNode} node
 * @returns {Spec}
 */
function typeSpec(node) {
  const [, keyword] = keywords.find(([kind]) => kind === node.kind) ?? [];
  if (keyword !== undefined) return keyword;
  if (ts.isArrayTypeNode(node)) return { type: "array", items: typeSpec(node.elementType) };
  // Pulumi's SDK for Python refuses lists in a union (github.com/pulumi/pulumi/issues/6950), and that for Go has no unions.
  if (ts.isUnionTypeNode(node)) return ANY;
  if (ts.isTypeReferenceNode(node)) return referenceSpec(node);
  throw new Error(`The schema has no form for the type \`${node.getText()}\`.`);
}

/**
 * @param {ts.TypeReferenceNode} node
 * @returns {Spec}
 */
function referenceSpec(node) {
  const name = node.typeName.getText();
  const [, values] = node.typeArguments ?? [];
  if (name === "Record" && values !== undefined) return { type: "object", additionalProperties: typeSpec(values) };
  if (name === "Integer") return { type: "integer" };
  const symbol = resolved(checker.getSymbolAtLocation(node.typeName));
  const declaration = symbol?.declarations?.[0];
  if (symbol === undefined || declaration === undefined) throw new Error(`There is no type \`${name}\`.`);
  if (ts.isInterfaceDeclaration(declaration)) return named(name, () => objectSpec(symbol));
  if (!ts.isTypeAliasDeclaration(declaration)) throw new Error(`\`${name}\` is no type of the schema.`);
  const words = wordsOf(declaration.type);
  return words ? named(name, () => choiceSpec(symbol, words)) : typeSpec(declaration.type);
}

/**
 * A choice of words, each with its meaning.
 *
 * @param {ts.Symbol} symbol
 * @param {string[]} words
 */
function choiceSpec(symbol, words) {
  const all = meanings(symbol);
  const values = words.map((value) => {
    const description = all.get(value);
    if (description === undefined)
      throw new Error(`The documentation of \`${symbol.name}\` does not say what "${value}" means.`);
    return { value, description };
  });
  return { description: documentation(symbol), type: "string", enum: values };
}

/**
 * @param {ts.Symbol | undefined} symbol
 */
function resolved(symbol) {
  return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/**
 * The words of a type that is a choice of words; `undefined` for any other type.
 *
 * @param {ts.TypeNode} node
 */
function wordsOf(node) {
  if (!ts.isUnionTypeNode(node)) return undefined;
  const words = node.types.flatMap((type) =>
    ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
  );
  return words.length === node.types.length ? words : undefined;
}

/**
 * @param {string} name
 * @param {() => Spec} make
 */
function named(name, make) {
  const token = `gpucluster:index:${name}`;
  namedTypes[token] ??= make();
  return { $ref: `#/types/${token}` };
}

/**
 * The schema's form of an interface.
 *
 * @param {ts.Symbol} symbol
 */
export function objectSpec(symbol) {
  const { properties, required } = fieldsOf(symbol);
  return { description: documentation(symbol), type: "object", properties, ...(required.length > 0 && { required }) };
}

/**
 * The fields of an interface, inherited ones included.
 *
 * @param {ts.Symbol} symbol
 */
export function fieldsOf(symbol) {
  const fields = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  const required = fields.filter((field) => !(field.flags & ts.SymbolFlags.Optional)).map((field) => field.name);
  return { properties: Object.fromEntries(fields.map((field) => [field.name, fieldSpec(field)])), required };
}

/** Types that `pulumi do` offers as flags. */
const FLAGS = new Set(["string", "number", "integer", "boolean"]);

/**
 * Inputs in a form that `pulumi do` shows well: it uses the first word in back quotes as the name of a flag's value.
 *
 * @param {Record<string, Spec>} properties
 * @returns {Record<string, Spec>}
 */
export function asFlags(properties) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, spec]) => [
      name,
      FLAGS.has(String(spec["type"]))
        ? { ...spec, description: String(spec["description"]).replaceAll("`", "'") }
        : spec,
    ]),
  );
}

/**
 * @param {ts.Symbol} field
 * @returns {Spec}
 */
function fieldSpec(field) {
  const declaration = field.declarations?.[0];
  const type = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined;
  if (type === undefined) throw new Error(`\`${field.name}\` has no type.`);
  return { description: documentation(field), ...typeSpec(type) };
}
