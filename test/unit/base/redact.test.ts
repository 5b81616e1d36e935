import fc from "fast-check";
import { keyHider, Redactor } from "../../../provider/base/redact";

const json = (value: string) => JSON.stringify(value).slice(1, -1);
const url = (value: string) => encodeURIComponent(value.toWellFormed());
const base64 = (value: string) => Buffer.from(value).toString("base64");
const digits = (code: number, length: number) => code.toString(16).padStart(length, "0");
type Write = (value: string) => string;

/** The plain forms: the place is replaced, and the rest of the text stays. */
const plain: [string, Write][] = [
  ["as it is", (value) => value],
  ["in JSON", json],
  ["in a URL", url],
  ["in base64", base64],
];

const secrets = [
  'Pa/s+s"w&rd=Zürich?7f3a9e<K>\\x41',
  "postgres://app:h7Kq2ZpX@db.internal:5432/shop?sslmode=require",
  "пароль-東京-größe",
];

const quoting = (written: string) => `out of memory: <${written}>, exit 137`;

it.each(plain)("a value is replaced %s", (_how, write) => {
  for (const value of [...secrets, "Xk9Qz7Lm"]) {
    expect(new Redactor([value]).hide(quoting(write(value)))).toBe(quoting("[secret]"));
    expect(new Redactor([value]).hideInOwn(quoting(write(value)))).toBe(quoting("[secret]"));
  }
});

it.each([
  ["each line is one", "user: alice-in-chains\npassword: 7f3a-9e1c\n", "is password: 7f3a-9e1c.", "is [secret]."],
  ["a password of a URL is one", "postgres://app:h7Kq@db/shop", "no h7Kq, h7Kqs", "no [secret], h7Kqs"],
  ["one of 4 to 7 characters is a word only", "h100", "(h100) h1000 xh100 H100", "([secret]) h1000 xh100 H100"],
  ["one of less than 4 characters is none", "abc", "1 on abc", "1 on abc"],
  ["what means something in a pattern is literal", "a.*c$&(x)", "abcc a.*c$&(x) aXc", "abcc [secret] aXc"],
  [
    "each line is one where the service joins them",
    "Zq7KWv93\nLm2XTt8R\tHj5B",
    "Zq7KWv93 Lm2XTt8R Hj5B",
    "[secret] [secret] [secret]",
  ],
])("of the secrets in a value, %s", (_law, value, text, expected) => {
  expect(new Redactor([value]).hide(text)).toBe(expected);
});

it("our own sentences keep short values and parts of names, and show no secret that is longer", () => {
  const redactor = new Redactor(["h100", "healthy-provisioner", "frontend", "web-frontend-of-the-north"]);
  const sentence = 'cluster "web-frontend": 2/4 healthy, provisioning h100';
  expect(redactor.hideInOwn(sentence, ["web-frontend"])).toBe(sentence);
  expect(redactor.hideInOwn("web-frontend-of-the-north", ["web-frontend"])).toBe("[secret]");
});

test("what is learned later is hidden from then on", () => {
  const redactor = new Redactor(["first-value-1"]);
  expect(redactor.hide("first-value-1 second-value-2")).toBe("[secret] second-value-2");
  redactor.learn(["second-value-2", "first-value-1"]);
  expect(redactor.hide("first-value-1 second-value-2")).toBe("[secret] [secret]");
});

test("a long text is cut, and no part of a secret shows at the cut", () => {
  const redactor = new Redactor(["password-7f3a"]);
  expect(redactor.hide("abcdefg ".repeat(9_000))).toBe(`${"abcdefg ".repeat(2_048)}…`);
  for (let kept = 0; kept <= 13; kept += 1) {
    const hidden = redactor.hide(`${"x".repeat(16_384 - kept)}password-7f3a${"x".repeat(99)}`);
    expect(hidden).not.toContain("p");
    expect(hidden.length).toBeLessThan(16_400);
  }
});

describe("laws", () => {
  const value = fc
    .oneof(fc.string({ unit: "binary", minLength: 8, maxLength: 60 }), fc.string({ minLength: 8, maxLength: 60 }))
    .filter((text) => !/^[\s[\]a-z]*$/.test(text));

  it("a plain form of a secret never stays, whatever stands around it", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...plain), fc.string(), fc.string(), (secret, [, form], before, after) => {
        const text = `${before}|${form(secret)}|${after}`;
        for (const hidden of [new Redactor([secret]).hide(text), new Redactor([secret]).hideInOwn(text)]) {
          expect(hidden).not.toContain(form(secret));
          expect(hidden).toContain("[secret]");
        }
      }),
      { numRuns: 300 },
    );
  });

  it("a text without any 4 characters of a secret is never changed", () => {
    const digitsOnly = fc.string({ unit: fc.constantFrom(..."0123456789-_/+"), minLength: 4, maxLength: 80 });
    // Neither base64 nor escapes can make letters of the text out of digits.
    const letters = fc.string({ unit: fc.constantFrom(..."äöü .,:()<>&;\n"), maxLength: 200 });
    fc.assert(
      fc.property(fc.array(digitsOnly, { maxLength: 20 }), letters, (all, text) => {
        expect(new Redactor(all).hide(text)).toBe(text);
        expect(new Redactor(all).hideInOwn(text)).toBe(text);
      }),
    );
  });
});

test.each([
  ["a long key is replaced in its plain forms", "sk-canary-0123", "web-sk-canary-0123", "web-[secret]"],
  ["half of it is no key", "training-webapp", "training Training-Webapp-2 webapp", undefined],
  ["a short key is a word of a text", "train", "bad key train", "bad key [secret]"],
  ["no name has white space", "train", "train", undefined],
])("of the API key in data: %s", (_law, key, text, expected = text) => {
  expect(keyHider(key)(text)).toBe(expected);
});

test("the time of a search does not grow with the number of secrets", () => {
  const text = "the container ended with code 137 before its replica was ready, see https://docs.example.com/codes ";
  /** How many pieces of the text a search among so many secrets looks up. */
  function lookups(count: number): number {
    const redactor = new Redactor(Array.from({ length: count }, (_, index) => digits(index * 104_729, 20)));
    redactor.hide("");
    const counted = jest.spyOn(String.prototype, "slice");
    redactor.hide(text);
    const { length } = counted.mock.calls;
    counted.mockRestore();
    return length;
  }
  expect(lookups(1_000)).toBeLessThan(lookups(10) + 50);
});
