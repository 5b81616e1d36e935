// @ts-check
import ts from "typescript";
import { checker, documentation, meanings } from "./sources.mjs";

/** @typedef {Record<string, unknown>} Spec A piece of the schema. */

/** The types that stand in the schema under a name of their own: those that were asked for so far. */
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
 * The schema's form of a type, as it is written: the compiler itself forgets the names of aliases.
 *
 * @param {ts.TypeNode} node
 * @returns {Spec}
 */
function typeSpec(node) {
  const [, keyword] = keywords.find(([kind]) => kind === node.kind) ?? [];
  if (keyword !== undefined) return keyword;
  if (ts.isArrayTypeNode(node)) return { type: "array", items: typeSpec(node.elementType) };
  if (ts.isUnionTypeNode(node)) return unionSpec(node.types.map(typeSpec));
  if (ts.isTypeReferenceNode(node)) return referenceSpec(node);
  throw new Error(`The schema has no form for the type \`${node.getText()}\`.`);
}

/**
 * A union with a list in it is anything: Pulumi's SDK for Python refuses lists where it was told of other types too
 * (github.com/pulumi/pulumi/issues/6950), and the one for Go takes anything for every union.
 *
 * @param {Spec[]} forms
 */
function unionSpec(forms) {
  return forms.some(({ type }) => type === "array") ? ANY : { oneOf: forms };
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
 * A choice of words, each with what it means.
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
 * The words of a type that is a choice of words.
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
 * The fields of an interface, its own and those of what it extends.
 *
 * @param {ts.Symbol} symbol
 */
export function fieldsOf(symbol) {
  const fields = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  const required = fields.filter((field) => !(field.flags & ts.SymbolFlags.Optional)).map((field) => field.name);
  return { properties: Object.fromEntries(fields.map((field) => [field.name, fieldSpec(field)])), required };
}

/** Types of which `pulumi do` makes flags. */
const FLAGS = new Set(["string", "number", "integer", "boolean"]);

/**
 * Inputs, as `pulumi do` may show them: for the value of a flag it takes the first word in back quotes.
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
