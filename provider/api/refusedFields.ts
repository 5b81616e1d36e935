import { ApiError } from "../base/errors";
import { plainName } from "./names";
import { unwantedWords } from "./records";
import { type RequestNames, vocabularies } from "./requests";

/** Whether a refusal is about the body, so that nothing was done. */
export function isAboutBody({ status }: ApiError): boolean {
  return status === 400 || status === 422;
}

/** Matches a field by its name in any spelling; not a part of the field, such as `env.MODEL`. */
function patternOf(name: string): string {
  return `\\b${plainName(name).replaceAll("_", "[_-]?")}\\b(?![.[])`;
}

/** Whether a text names a field. */
export function isNamed(name: string, text: string): boolean {
  return new RegExp(patternOf(name), "i").test(text);
}

/** Whether a refusal calls the field itself unwanted. If only its value is refused, the field has to stay. */
export function isUnwanted(name: string, { apiMessage, code = "" }: ApiError): boolean {
  const { before, after, code: unwantedCode } = unwantedWords;
  if (unwantedCode.test(code)) return isNamed(name, apiMessage);
  const plain = apiMessage.replace(/["'`:]+/g, " ").replace(/\s+/g, " ");
  return new RegExp(`${before} ${patternOf(name)}|${patternOf(name)} ${after}`, "i").test(plain);
}

/**
 * Returns the same error. If a creation was refused because of a field that has another name in the other vocabulary, the
 * message ends with the setting.
 */
export function withNamesAdvice(error: unknown, names: RequestNames): unknown {
  if (!(error instanceof ApiError && error.outcome === "refused" && isAboutBody(error))) return error;
  const { name: _same, ...others } = vocabularies[names];
  if (Object.values(others).some((name) => isNamed(name, error.apiMessage)))
    error.message += `. If the service takes other names than those of the ${names}, set gpucluster:requestNames`;
  return error;
}
