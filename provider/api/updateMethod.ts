import { ApiError, NoUpdateError } from "../errors";
import { type UpdateMethod, updateMethods } from "./endpoints";

/** Finds out by which method the service updates, or that it does not, and remembers it. */
export class UpdateMethodChoice {
  #known: UpdateMethod | undefined;
  #missing: NoUpdateError | undefined;

  /** @param learned Is told whether the service has an update, once that is known. */
  constructor(private readonly learned: (isThere: boolean) => void = () => undefined) {}

  /**
   * Sends an update by the known method, else by one after the other until one is not refused as a method.
   * @param exists Tells a 404 that is about the method from one that is about the cluster.
   * @throws NoUpdateError if every method is refused.
   */
  async send<T>(attempt: (method: UpdateMethod) => Promise<T>, exists: () => Promise<boolean>): Promise<T> {
    if (this.#missing) throw new NoUpdateError(this.#missing.message, this.#missing);
    const tried: UpdateMethod[] = [];
    for (let method = this.#known ?? updateMethods[0]; ; ) {
      tried.push(method);
      try {
        const result = await attempt(method);
        this.#known = method;
        this.learned(true);
        return result;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // A body that is refused was read, so the method is the right one.
        if (error.status === 400 || error.status === 422) this.#known = method;
        if (!(await this.#isAboutMethod(method, error, exists))) throw error;
        const next = nextMethod(error.allow, tried);
        if (!next) {
          this.#missing = noUpdate(error, tried);
          this.learned(false);
          throw this.#missing;
        }
        method = next;
      }
    }
  }

  async #isAboutMethod(method: UpdateMethod, { status }: ApiError, exists: () => Promise<boolean>): Promise<boolean> {
    if (status === 405 || status === 501) return true;
    return status === 404 && method !== this.#known && (await exists());
  }
}

/** The first method that was not tried, of those that the service names or, if it names none of them, of all. Pure. */
export function nextMethod(allow: readonly string[], tried: readonly UpdateMethod[]): UpdateMethod | undefined {
  const left = updateMethods.filter((method) => !tried.includes(method));
  return left.find((method) => allow.includes(method)) ?? left[0];
}

function noUpdate(error: ApiError, tried: readonly UpdateMethod[]): NoUpdateError {
  const last = error.status === 404 ? "not found" : `HTTP ${error.status}`;
  return new NoUpdateError(`the service has no update of clusters (${tried.join(", ")}: ${last})`, error);
}
