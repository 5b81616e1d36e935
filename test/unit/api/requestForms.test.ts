import type { UpdateMethod } from "../../../provider/api/endpoints";
import { inForms, nextMethod, UpdateMethodChoice } from "../../../provider/api/requestForms";
import { ApiError, messageOf } from "../../../provider/errors";

const refusal = (status: number, allow: readonly string[] = []) =>
  new ApiError(`HTTP ${status}`, { outcome: "refused", method: "X", path: "/", status, isApiAnswer: true, allow });

const gone = refusal(404);

type Answers = Partial<Record<UpdateMethod, ApiError | "ok">>;

/** Sends an update by the methods of the choice, one after the other. */
async function updateBy<T>(
  choice: UpdateMethodChoice,
  attempt: (method: UpdateMethod) => Promise<T>,
  exists: () => Promise<boolean>,
): Promise<T> {
  const send = async ({ method }: { method: UpdateMethod }) => {
    const result = await attempt(method);
    choice.accepted(method);
    return result;
  };
  return inForms({ method: choice.first() }, send, [choice.next(exists)]);
}

/** A service with an answer for each method. */
function bench(answers: Answers, exists = true) {
  const sent: UpdateMethod[] = [];
  const choice = new UpdateMethodChoice();
  const lookups = { count: 0 };
  const update = (now: Answers = answers) =>
    updateBy(
      choice,
      async (method) => {
        sent.push(method);
        await Promise.resolve();
        const answer = now[method] ?? refusal(405);
        if (answer !== "ok") throw answer;
        return method;
      },
      async () => {
        lookups.count += 1;
        return exists;
      },
    );
  return { update, sent, lookups };
}

test.each<[string, Answers, UpdateMethod[]]>([
  ["the first that is tried", { PATCH: "ok" }, ["PATCH"]],
  ["what Allow names", { PATCH: refusal(405, ["GET", "POST"]), POST: "ok" }, ["PATCH", "POST"]],
  ["what Allow names, in our order", { PATCH: refusal(405, ["POST", "PUT"]), PUT: "ok" }, ["PATCH", "PUT"]],
  ["PUT if Allow names none that is left", { PATCH: refusal(405, ["GET", "PATCH"]), PUT: "ok" }, ["PATCH", "PUT"]],
  ["PUT after a 405", { PATCH: refusal(405), PUT: "ok" }, ["PATCH", "PUT"]],
  ["PUT after a 501", { PATCH: refusal(501), PUT: "ok" }, ["PATCH", "PUT"]],
  ["PUT after a 404 of a cluster that is there", { PATCH: refusal(404), PUT: "ok" }, ["PATCH", "PUT"]],
  ["POST after two 405", { PATCH: refusal(405), PUT: refusal(405), POST: "ok" }, ["PATCH", "PUT", "POST"]],
  ["POST after a 501 and a 404", { PATCH: refusal(501), PUT: refusal(404), POST: "ok" }, ["PATCH", "PUT", "POST"]],
])("an update uses %s, and the next one uses the same at once", async (_what, answers, expected) => {
  const { update, sent } = bench(answers);
  const method = await update();
  expect({ method, sent }).toEqual({ method: expected.at(-1), sent: expected });
  expect(await update()).toBe(method);
  expect(sent).toEqual([...expected, method]);
});

test("a 404 of a cluster that is gone is thrown, and no other method is tried", async () => {
  const { update, sent } = bench({ PATCH: refusal(404), PUT: "ok" }, false);
  await expect(update()).rejects.toMatchObject({ status: 404 });
  expect(sent).toEqual(["PATCH"]);
});

test("a 404 for the known method is about the cluster, and needs no lookup", async () => {
  const { update, sent, lookups } = bench({ PATCH: "ok" });
  await update();
  await expect(update({ PATCH: refusal(404), PUT: "ok" })).rejects.toMatchObject({ status: 404 });
  expect({ sent, lookups: lookups.count }).toEqual({ sent: ["PATCH", "PATCH"], lookups: 0 });
});

test("a method that is known and then refused is given up for another one", async () => {
  const { update, sent } = bench({ PATCH: "ok" });
  await update();
  expect(await update({ PATCH: refusal(405), PUT: "ok" })).toBe("PUT");
  expect(await update({ PUT: "ok" })).toBe("PUT");
  expect(sent).toEqual(["PATCH", "PATCH", "PUT", "PUT"]);
});

test.each([400, 422])("a %d is thrown, and its method is the one of the next update", async (status) => {
  const { update, sent } = bench({ PATCH: refusal(405), PUT: refusal(status) });
  await expect(update()).rejects.toMatchObject({ status });
  await expect(update({ PUT: "ok", PATCH: "ok" })).resolves.toBe("PUT");
  expect(sent).toEqual(["PATCH", "PUT", "PUT"]);
});

test.each([401, 403, 409, 429, 500, 503])("a %d is thrown, and says nothing about the method", async (status) => {
  const { update, sent } = bench({ PATCH: refusal(status), PUT: "ok" });
  await expect(update()).rejects.toMatchObject({ status });
  expect(sent).toEqual(["PATCH"]);
});

test("an error that is no answer of the service is thrown unchanged", async () => {
  const lost = new TypeError("x");
  const choice = new UpdateMethodChoice();
  await expect(
    updateBy(
      choice,
      () => Promise.reject(lost),
      async () => true,
    ),
  ).rejects.toBe(lost);
});

test.each<[string, Answers, string]>([
  ["without a word", {}, "PATCH, PUT, POST"],
  ["with one that Allow names", { PATCH: refusal(405, ["POST"]) }, "PATCH, POST, PUT"],
  ["with 404 of a cluster that is there", { PATCH: gone, PUT: gone, POST: gone }, "PATCH, PUT, POST"],
])(
  "a service that refuses all methods %s is told so, with the methods that were tried",
  async (_what, answers, tried) => {
    const { update, sent } = bench(answers);
    const error: unknown = await update().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(messageOf(error)).toContain(`the service cannot update clusters (${tried}: `);
    expect(sent.join(", ")).toBe(tried);
  },
);

test.each([404, 405, 501])(
  "first updates at the same time all end well, one of them with a late %d",
  async (status) => {
    const choice = new UpdateMethodChoice();
    let answerLate = () => {};
    const late = new Promise<void>((resolve) => {
      answerLate = resolve;
    });
    const sent: string[] = [];
    const update = (name: string, before: Promise<void>) =>
      updateBy(
        choice,
        async (method) => {
          sent.push(`${name} ${method}`);
          if (method === "PATCH") await before;
          if (method === "PUT") return `${name} by PUT`;
          throw refusal(status);
        },
        async () => true,
      );
    const slow = update("slow", late);
    const first = await Promise.all(["a", "b"].map((name) => update(name, Promise.resolve())));
    expect(first).toEqual(["a by PUT", "b by PUT"]);
    answerLate();
    expect(await slow).toBe("slow by PUT");
    expect(sent).toHaveLength(6);
    expect(await update("next", late)).toBe("next by PUT");
    expect(sent).toHaveLength(7);
  },
);

test.each<[readonly string[], readonly UpdateMethod[], UpdateMethod | undefined]>([
  [[], [], "PATCH"],
  [["POST"], ["PATCH"], "POST"],
  [["PATCH"], ["PATCH"], "PUT"],
  [["DELETE", "OPTIONS"], ["PATCH", "PUT"], "POST"],
  [["PUT"], ["PATCH", "PUT", "POST"], undefined],
])("if %p is allowed and %p was tried, the next is %p", (allow, tried, expected) => {
  expect(nextMethod(allow, tried)).toBe(expected);
});

it("a method whose body was read leaves every other method untried", async () => {
  const answers = [refusal(405), refusal(400), refusal(405)];
  const sent: UpdateMethod[] = [];
  const choice = new UpdateMethodChoice();
  const send = async ({ method }: { method: UpdateMethod }) => {
    sent.push(method);
    const answer = answers[sent.length - 1];
    if (answer) throw answer;
    return method;
  };
  const rules = [
    choice.next(async () => true),
    (error: ApiError, form: { method: UpdateMethod }) => {
      return error.status === 400 ? form : undefined;
    },
  ];
  await inForms({ method: choice.first() }, send, rules);
  expect(sent).toEqual(["PATCH", "PUT", "PUT", "PATCH"]);
});
