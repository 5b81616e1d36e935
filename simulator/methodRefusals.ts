import { ApiError } from "./answer";
import type { Dialect, PerValue } from "./dialectOptions";

/** The refusal of a method that a path does not support; `allowed` names the supported methods. */
export function methodRefusal(method: string, path: string, allowed: string, dialect: Dialect): ApiError {
  const { code, message } = words[dialect.updateRefusal](method, path);
  const isNamed = dialect.refusalAllow === "named" && dialect.updateRefusal !== 404;
  return new ApiError(
    dialect.updateRefusal,
    code,
    isNamed ? `${message} Allowed: ${allowed}.` : message,
    isNamed ? { Allow: allowed } : {},
  );
}

const words: PerValue<"updateRefusal", (method: string, path: string) => { code: string; message: string }> = {
  405: (method) => ({ code: "method_not_allowed", message: `${method} is not allowed here.` }),
  404: (method, path) => ({ code: "not_found", message: `There is no ${method} ${path}.` }),
  501: (method) => ({ code: "not_implemented", message: `${method} is not implemented here.` }),
};
