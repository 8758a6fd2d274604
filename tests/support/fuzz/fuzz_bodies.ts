import type { SeededRandom } from "./seeded_random.ts";

const encoder = new TextEncoder();

/** A raw body with its content type; `null` sends none. */
export interface FuzzBody {
  bytes: Uint8Array<ArrayBuffer>;
  type: string | null;
  /** Sent without Content-Length. */
  chunked: boolean;
}

const TYPES: readonly (string | null)[] = [
  null,
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "APPLICATION/JSON;",
  "application/jsonx",
  ";",
  "\u00e9/\u00fc",
  "application/json, text/plain",
];

/** The text as a body, occasionally with another content type or chunked. */
export function bodyOf(text: string, dice: SeededRandom): FuzzBody {
  return {
    bytes: encoder.encode(text),
    type: dice.chance(0.03) ? dice.pick(TYPES) : "application/json",
    chunked: dice.chance(0.05),
  };
}

/** A body that is invalid or barely valid JSON. */
export function brokenBody(valid: string, dice: SeededRandom): FuzzBody {
  const { type, chunked } = bodyOf("", dice);
  return { bytes: brokenBytes(valid, dice), type, chunked };
}

function brokenBytes(valid: string, dice: SeededRandom): Uint8Array<ArrayBuffer> {
  switch (dice.int(0, 12)) {
    case 0:
      return encoder.encode(valid.slice(0, dice.int(0, valid.length)));
    case 1:
      return Uint8Array.from({ length: dice.int(1, 300) }, () => dice.int(0, 255));
    case 2: {
      const bytes = encoder.encode(valid);
      if (bytes.length > 0) bytes[dice.int(0, bytes.length - 1)] = dice.pick([0, 0xff, 0xc0, 0xed]);
      return bytes;
    }
    case 3:
      return encoder.encode(
        dice.pick(["", " ", "\n", "\ufeff" + valid, valid + valid, valid + "x"]),
      );
    case 4:
      return encoder.encode(dice.pick(["null", "true", "0", '""', "[]", "[[]]", "{}", "-", "NaN"]));
    case 5: {
      const depth = dice.pick([65, 5_000, 100_000]);
      return encoder.encode("[".repeat(depth) + "]".repeat(depth));
    }
    case 6:
      return encoder.encode('{"a":'.repeat(20_000) + "1" + "}".repeat(20_000));
    case 7:
      return encoder.encode(valid.replace("{", '{"__proto__":{"a":1},'));
    case 8:
      return encoder.encode(valid.replace(/:\s*\d+/, ":1e999"));
    case 9:
      return encoder.encode(valid.replace(/"([^"\\]*)"}/, '"\\ud800\\u0000"}'));
    case 10:
      return encoder.encode(`[${"0,".repeat(100_000)}0]`);
    case 11:
      return encoder.encode(valid.replaceAll('"', "'"));
    default: {
      const padded = new Uint8Array(dice.pick([1_048_576, 1_048_577])).fill(0x20);
      padded.set(encoder.encode(valid).subarray(0, padded.length));
      return dice.chance(0.1) ? padded : encoder.encode(`${valid},`);
    }
  }
}

/** The body for `fetch`. */
export function toBodyInit({ bytes, chunked }: FuzzBody): BodyInit {
  return chunked ? new Blob([bytes]).stream() : bytes;
}
