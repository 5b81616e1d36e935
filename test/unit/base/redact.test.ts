import fc from "fast-check";
import { Redactor } from "../../../provider/base/redact";
import { base64, cuts, digits, others, plain } from "./secretForms";

const withheld = "(this text is withheld: it contains a secret)";
const secrets = [
  'Pa/s+s"w&rd=Zürich?7f3a9e<K>\\x41',
  "postgres://app:h7Kq2ZpX@db.internal:5432/shop?sslmode=require",
  "пароль-東京-größe",
  "Xk9Qz7Lm",
];

const quoting = (written: string) => `out of memory: <${written}>, exit 137`;

it.each([...plain, ...others])("a value is hidden, and replaced if its form is plain: %s", (_how, write) => {
  for (const value of secrets) {
    const text = quoting(write(value));
    const isPlain = plain.some(([, form]) => form(value) === write(value));
    expect(new Redactor().learn([value]).incoming(text)).toBe(isPlain ? quoting("[secret]") : withheld);
    if (isPlain) expect(new Redactor().learn([value]).outgoing(text)).toBe(quoting("[secret]"));
  }
});

it.each([
  ["each line is one", "user: alice-in-chains\npassword: 7f3a-9e1c\n", "is password: 7f3a-9e1c.", "is [secret]."],
  ["a password of a URL is one", "postgres://app:h7Kq@db/shop", "no h7Kq, h7Kqs", "no [secret], h7Kqs"],
  ["the value is one without the white space around it", " Zq7K \n", "no Zq7K", "no [secret]"],
  ["one of 4 to 7 characters is a word only", "h100", "(h100) h1000 xh100 H100", "([secret]) h1000 xh100 H100"],
  ["one of fewer than 4 characters does not count", "abc", "1 on abc", "1 on abc"],
  ["a character with a meaning in a pattern is literal", "a.*c$&(x)", "abcc a.*c$&(x) aXc", "abcc [secret] aXc"],
  ["each line is one, even joined", "Zq7KWv93\nLm2XTt8R\tHj5B", "Zq7KWv93 Lm2XTt8R Hj5B", "[secret] [secret] [secret]"],
  ["an escape of no character stays", "a-long-and-secret-value", "a &#9999999; text", "a &#9999999; text"],
])("a value holds secrets: %s", (_law, value, text, expected) => {
  expect(new Redactor().learn([value]).incoming(text)).toBe(expected);
});

it("the first and the last 32 letters and digits of a long value are hidden, what is between them is not", () => {
  const value = Array.from({ length: 100 }, (_, index) => digits(index * 7919, 6)).join("");
  const redactor = new Redactor().learn([value]);
  for (const piece of [value.slice(0, 32), value.slice(-32)]) expect(redactor.incoming(quoting(piece))).toBe(withheld);
  expect(redactor.incoming(quoting(value.slice(1, -1)))).toBe(quoting(value.slice(1, -1)));
});

it("a sentence of the provider keeps short values, halves of others and parts of names, and no longer secret", () => {
  const redactor = new Redactor(undefined, ["web-frontend"]);
  redactor.learn(["h100", "healthy-provisioner", "frontend", "web-frontend-of-the-north"]);
  const sentence = 'cluster "web-frontend": 2/4 healthy, provisioning h100';
  expect(redactor.outgoing(sentence)).toBe(sentence);
  expect(redactor.outgoing("web-frontend-of-the-north")).toBe("[secret]");
});

it("a secret inside an input that is not secret is shown there, even with other capitals and signs", () => {
  const redactor = new Redactor(undefined, ["my-frontend-east-1"]).learn(["frontend-east"]);
  for (const text of ["no cluster my-frontend-east-1", "no cluster MY_FRONTEND_EAST_1"])
    expect(redactor.incoming(text)).toBe(text);
  expect(redactor.incoming("no frontend-east")).toBe("no [secret]");
});

test("a long text is cut, without a part of a secret at the cut", () => {
  const redactor = new Redactor().learn(["password-7f3a", "y7".repeat(10_000)]);
  expect(redactor.incoming("abcdefg ".repeat(9_000))).toBe(`${"abcdefg ".repeat(2_048)}…`);
  expect(redactor.incoming("y7".repeat(10_000))).toBe("[secret]");
  expect(redactor.incoming("y7".repeat(9_999))).toBe(withheld);
  for (let kept = 0; kept <= 13; kept += 1) {
    const hidden = redactor.incoming(`${"x".repeat(16_384 - kept)}password-7f3a${"x".repeat(99)}`);
    expect(hidden).not.toContain("p");
    expect(hidden.length).toBeLessThan(16_400);
  }
});

it.each(["u", "us", "user"])("a value is hidden in base64 behind a user name and a colon: %s", (user) => {
  for (const value of secrets) {
    const header = base64(`${user}:${value}:end`);
    for (const hidden of [
      new Redactor().learn([value]).incoming(header),
      new Redactor().learn([value]).outgoing(header),
    ]) {
      const left = hidden.split("[secret]").map((part) => Buffer.from(part, "base64").toString("latin1"));
      expect(hidden).toContain("[secret]");
      expect(left.join("")).not.toContain(value.slice(1, 5));
    }
  }
});

describe("laws", () => {
  const value = fc
    .oneof(fc.string({ unit: "binary", minLength: 8, maxLength: 60 }), fc.string({ minLength: 8, maxLength: 60 }))
    .filter((text) => !/^[\s[\]a-z]*$/.test(text));

  it("a plain form of a secret never stays, whatever surrounds it", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...plain), fc.string(), fc.string(), (secret, [, form], before, after) => {
        const text = `${before}|${form(secret)}|${after}`;
        for (const hidden of [
          new Redactor().learn([secret]).incoming(text),
          new Redactor().learn([secret]).outgoing(text),
        ]) {
          expect(hidden).not.toContain(form(secret));
          expect(hidden === withheld || hidden.includes("[secret]")).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("a token of letters and digits is hidden in each form that a person could read", () => {
    const unit = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
    const token = fc
      .string({ unit, minLength: 15, maxLength: 79 })
      .map((text) => `${text}${/\d/.test(text) ? "x" : 7}`);
    fc.assert(
      fc.property(token, fc.constantFrom(...plain, ...others, ...cuts), (secret, [, form]) => {
        expect([withheld, quoting("[secret]")]).toContain(
          new Redactor().learn([secret]).incoming(quoting(form(secret))),
        );
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
        expect(new Redactor().learn(all).incoming(text)).toBe(text);
        expect(new Redactor().learn(all).outgoing(text)).toBe(text);
      }),
    );
  });
});
