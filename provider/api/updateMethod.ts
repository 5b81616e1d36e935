import { ApiError, NoUpdateError } from "../errors";
import { type UpdateMethod, updateMethods } from "./endpoints";

/** Finds the method by which the service updates clusters, or that it has none, and caches the result. */
export class UpdateMethodChoice {
  #known: UpdateMethod | undefined;
  #missing: NoUpdateError | undefined;

  /** @param learned Called with whether the service has an update, once that is known. */
  constructor(private readonly learned: (isThere: boolean) => void = () => undefined) {}

  /**
   * Sends an update with the known method; otherwise tries one method after the other until one is not refused as a
   * method.
   * @param exists Whether the cluster exists: distinguishes a 404 about the method from a 404 about the cluster.
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
        // The service has read the body that it refuses, so the method is right.
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

/** The first untried method among those that the service names or, if it names none, among all. Pure. */
export function nextMethod(allow: readonly string[], tried: readonly UpdateMethod[]): UpdateMethod | undefined {
  const left = updateMethods.filter((method) => !tried.includes(method));
  return left.find((method) => allow.includes(method)) ?? left[0];
}

function noUpdate(error: ApiError, tried: readonly UpdateMethod[]): NoUpdateError {
  const last = error.status === 404 ? "not found" : `HTTP ${error.status}`;
  return new NoUpdateError(`the service cannot update clusters (${tried.join(", ")}: ${last})`, error);
}
