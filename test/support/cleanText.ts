import { canary } from "../unit/cluster/inputs";

/** What every text for a person has to be: one that can be read and printed, without a value of env. */
export function expectClean(text: string): void {
  // Our own lines, one for each fact, begin with blanks.
  expect(text.replace(/\n {2,6}(?! )/g, " ")).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  expect(text.length).toBeLessThan(1_500);
  expect(text).not.toContain(canary);
}
