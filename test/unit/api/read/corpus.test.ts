import { messageOf } from "../../../../provider/errors";
import { answerIn, files, isLike, readingOf } from "./corpus";

test.each(files)("%s is read as a careful reader reads it", async (file) => {
  const answer = answerIn(file);
  const { any, orError, message, text, ...exact } = answer.expect;
  const reading = await readingOf(answer).catch((error: unknown) => ({ failure: messageOf(error) }));
  const readings = Array.isArray(any) ? any : [exact];
  const isFailure = typeof reading === "object" && reading !== null && "failure" in reading;
  const said = JSON.stringify(reading).toLowerCase();
  const quotes = [message, text].filter((quote) => typeof quote === "string");
  const missing = quotes.filter((quote) => !said.includes(JSON.stringify(quote).slice(1, -1).toLowerCase()));
  const isRight = (orError === true && isFailure) || readings.some((each) => isLike(reading, each));
  expect({ isRight, missing, reading: isRight && missing.length === 0 ? undefined : reading }).toEqual({
    isRight: true,
    missing: [],
    reading: undefined,
  });
});

test("no secret of a documented answer shows in a reading", async () => {
  const record = {
    id: "cl_1",
    name: "web",
    status: "running",
    deployToken: "dt-0123456789",
    deploy_token: "dt-0123456789",
  };
  const reading = await readingOf({ kind: "record", payload: record, expect: {} });
  expect(JSON.stringify(reading)).not.toContain("dt-0123456789");
});
