import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";

/** A certificate for one test and its key, both as PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** DER: tag, length and content of a value. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const text = (value: string) => der(0x0c, Buffer.from(value));
const time = (value: string) => der(0x18, Buffer.from(value));

/** A self-signed certificate for one host: P-256, ECDSA with SHA-256. */
export function certificateFor(host: string): Certificate {
  const pair = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
  const name = sequence(der(0x31, sequence(oid("550403"), text(host))));
  const altNames = sequence(der(0x82, Buffer.from(host)));
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time("20200101000000Z"), time("20991231235959Z")),
    name,
    pair.publicKey,
    der(0xa3, sequence(sequence(oid("551d11"), der(0x04, altNames)))),
  );
  const signature = sign("sha256", toSign, createPrivateKey(pair.privateKey));
  const bytes = sequence(toSign, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: pair.privateKey,
  };
}
