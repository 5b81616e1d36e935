import { isNativeError } from "node:util/types";

/**
 * Jest gives every test file its own globals, so errors that Node itself makes (ECONNREFUSED, time limits) are no instances
 * of the file's `Error`. Outside of Jest they are. Import this where real connections fail.
 */
const ordinary = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  configurable: true,
  value(this: unknown, value: unknown): boolean {
    if (ordinary.call(this, value)) return true;
    return this === Error && (isNativeError(value) || value instanceof DOMException);
  },
});
