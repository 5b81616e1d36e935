import { ApiError, NoUpdateError } from "../errors";
import { type UpdateMethod, updateMethods } from "./endpoints";

/** The form for the next request, after a refusal of this form; `undefined` if the refusal is about something else. */
export type NextForm<Form> = (error: ApiError, form: Form) => Form | undefined | Promise<Form | undefined>;

/**
 * Sends a request in one form after another, as long as the refusal is about the form: a refused request has changed
 * nothing. The first rule that knows another form decides.
 */
export async function inForms<Form, Result>(
  first: Form,
  send: (form: Form) => Promise<Result>,
  rules: readonly NextForm<Form>[],
): Promise<Result> {
  for (let form = first; ; ) {
    try {
      return await send(form);
    } catch (error) {
      const next = error instanceof ApiError ? await nextForm(rules, error, form) : undefined;
      if (next === undefined) throw error;
      form = next;
    }
  }
}

async function nextForm<Form>(rules: readonly NextForm<Form>[], error: ApiError, form: Form) {
  for (const rule of rules) {
    const next = await rule(error, form);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** Finds the method by which the service updates clusters, or that it has none, and caches the result. */
export class UpdateMethodChoice {
  #known: UpdateMethod | undefined;
  #missing: NoUpdateError | undefined;

  /** @param learned Called with whether the service has an update, once that is known. */
  constructor(private readonly learned: (isThere: boolean) => void = () => undefined) {}

  /**
   * The method of the next update.
   * @throws NoUpdateError if the service has refused every method.
   */
  first(): UpdateMethod {
    if (this.#missing) throw new NoUpdateError(this.#missing.message, this.#missing);
    return this.#known ?? updateMethods[0];
  }

  /** Remembers that the service has accepted a method. */
  accepted(method: UpdateMethod): void {
    this.#known = method;
    this.learned(true);
  }

  /**
   * The rule for one update: another method if the refusal is about the method.
   * @param exists Whether the cluster exists: distinguishes a 404 about the method from a 404 about the cluster.
   * @throws NoUpdateError if every method is refused.
   */
  next<Form extends { readonly method: UpdateMethod }>(exists: () => Promise<boolean>): NextForm<Form> {
    const tried = new Set<UpdateMethod>();
    return async (error, form) => {
      const { method } = form;
      tried.add(method);
      // The service has read the body that it refuses, so the method is right.
      if (error.status === 400 || error.status === 422) {
        this.#known = method;
        tried.clear();
      }
      if (!(await this.#isAboutMethod(method, error, exists))) return undefined;
      const next = nextMethod(error.allow, [...tried]);
      if (next) return { ...form, method: next };
      this.#missing = noUpdate(error, [...tried]);
      this.learned(false);
      throw this.#missing;
    };
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
