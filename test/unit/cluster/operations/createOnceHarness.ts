import type { CreateBody } from "../../../../provider/api/requests";
import { CreateError } from "../../../../provider/base/errors";
import type { CreationOptions } from "../../../../provider/cluster/operations/createOnce";
import type { Fault } from "../../../../simulator";
import { countOf, type Fixture, failureOf, living } from "../harness";

export const wanted: CreateBody = { name: "web", gpuType: "h100", replicas: 1, container: "a/b:1", env: {} };
export const createLine = "POST /v1/clusters";
export const listLine = "GET /v1/clusters";

export const post = { method: "POST", path: "/v1/clusters" } as const;
export const lists = { method: "GET", path: "/v1/clusters" } as const;
/** A create request whose answer is lost, before and after its effect. */
export const lost: Fault = { ...post, kind: "drop" };
export const lostAfter: Fault = { ...lost, when: "after" };

/** The clusters in every list after the first ones. */
export function laterLists(clusters: object[], after = 1): Fault {
  return { ...lists, kind: "body", body: JSON.stringify({ clusters }), after, times: 1_000 };
}

/** Every list after the first ones fails by this status. */
export function failingLists(status: number, after = 0): Fault {
  return { ...lists, kind: "status", status, after, times: 1_000 };
}

/** One creation through `CreateOnce`. */
export function claim(
  { service, clock, messages: said }: Fixture,
  body: Partial<CreateBody> = {},
  options: Partial<CreationOptions> = {},
) {
  const defaults = {
    signal: new AbortController().signal,
    deadlineMs: clock.now() + 600_000,
    lookupDeadlineMs: clock.now() + 601_500,
    warn: (text: string) => said.push(text),
  };
  return service.createOnce.send({ ...wanted, ...body }, { ...defaults, ...options });
}

/** A creation that makes exactly one cluster, by this number of requests. */
export async function expectOne(bench: Fixture, posts: number, work = claim(bench)) {
  const record = await bench.run(work);
  expect(living(bench.simulator).map(({ id }) => id)).toEqual([record.id]);
  expect(countOf(bench.simulator, createLine)).toBe(posts);
  return record;
}

/** A creation that fails with the message that a cluster may exist, after this number of requests. */
export async function expectDoubt(bench: Fixture, text: RegExp, posts = 1, work: Promise<unknown> = claim(bench)) {
  const error = await bench.run(failureOf(work));
  expect(error).toBeInstanceOf(CreateError);
  expect(error.message).toMatch(/cluster "web" may have been created/);
  expect(error.message).toMatch(text);
  expect(countOf(bench.simulator, createLine)).toBe(posts);
  return error;
}
