import * as zlib from "node:zlib";

/** A body that cannot be decoded, or that is too long then. The message does not quote it. */
export class EncodingError extends Error {}

export const tooLarge = "it is larger than 8 MiB";

type Decoder = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

/** The content codings of RFC 9110, section 8.4.1, and `br`. Some servers send `deflate` without its zlib header, whose first byte ends in 8. */
const decoders: Readonly<Record<string, Decoder>> = {
  gzip: zlib.gunzipSync,
  "x-gzip": zlib.gunzipSync,
  deflate: (body, options) => (((body[0] ?? 0) & 15) === 8 ? zlib.inflateSync : zlib.inflateRawSync)(body, options),
  br: zlib.brotliDecompressSync,
};

/**
 * Decodes a body: a service may compress although no request allows it. Each coding is limited, so that a small body cannot fill
 * the memory. undici has an interceptor for this, which prints a warning that it is experimental.
 * @throws EncodingError
 */
export function decode(body: Uint8Array, contentEncoding: string, maxBytes: number): Uint8Array {
  const codings = contentEncoding.split(",").map((each) => each.trim().toLowerCase());
  return codings
    .filter((coding) => coding !== "" && coding !== "identity")
    .reduceRight((encoded, coding) => {
      const decoder = decoders[coding];
      if (!decoder) throw new EncodingError("its Content-Encoding is unknown");
      try {
        return decoder(encoded, { maxOutputLength: maxBytes });
      } catch (error) {
        const isTooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
        throw new EncodingError(isTooLarge ? tooLarge : "it cannot be decompressed");
      }
    }, body);
}
