import type { Frame } from "../../schemas/frames.ts";
import { concatBytes } from "../../store/values/chunks.ts";
import { CorruptRecordError } from "../../store/values/record.ts";

/** What the record of a run does not say about its seal. Packed, because every chat stores one. */
export interface SealParts {
  nonce: Uint8Array;
  /** The position of the key among the installation's keys. */
  key: number;
  signature: Uint8Array;
  /** The number of frames. */
  frames: number;
  head: Uint8Array;
  question?: Uint8Array | undefined;
  agentDigest?: Uint8Array | undefined;
  /** The frames after the answer, unless they are those that the record implies. */
  ends?: readonly Frame[] | undefined;
}

export const NONCE_BYTES = 16;
const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 64;

const VERSION = 1;
const HAS_QUESTION = 1;
const HAS_AGENT = 2;
const HAS_ENDS = 4;
/** Version, flags, key and number of frames. */
const HEADER_BYTES = 1 + 1 + 2 + 4;

export function packSeal(seal: SealParts): Uint8Array<ArrayBuffer> {
  const { nonce, signature, head, question, agentDigest, ends } = seal;
  const header = new DataView(new ArrayBuffer(HEADER_BYTES));
  header.setUint8(0, VERSION);
  const flags = [question && HAS_QUESTION, agentDigest && HAS_AGENT, ends && HAS_ENDS];
  header.setUint8(1, flags.reduce<number>((sum, flag) => sum | (flag ?? 0), 0));
  header.setUint16(2, seal.key);
  header.setUint32(4, seal.frames);
  const optional = [question, agentDigest].filter((digest) => digest !== undefined);
  const rest = ends === undefined ? [] : [new TextEncoder().encode(JSON.stringify(ends))];
  return concatBytes([
    new Uint8Array(header.buffer),
    ...[nonce, signature, head],
    ...optional,
    ...rest,
  ]);
}

/** Throws `CorruptRecordError` for bytes that are no seal. */
export function unpackSeal(bytes: Uint8Array): Omit<SealParts, "ends"> & { ends?: unknown } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint8(0) !== VERSION) corrupt();
  const flags = view.getUint8(1);
  let at = HEADER_BYTES;
  const take = (length: number) => {
    if (at + length > bytes.length) corrupt();
    return bytes.slice(at, at += length);
  };
  const [nonce, signature, head] = [take(NONCE_BYTES), take(SIGNATURE_BYTES), take(DIGEST_BYTES)];
  const optional = (flag: number) => (flags & flag) === 0 ? undefined : take(DIGEST_BYTES);
  const [question, agentDigest] = [optional(HAS_QUESTION), optional(HAS_AGENT)];
  const ends = (flags & HAS_ENDS) === 0
    ? undefined
    : JSON.parse(new TextDecoder().decode(bytes.subarray(at)));
  const [key, frames] = [view.getUint16(2), view.getUint32(4)];
  return { nonce, key, signature, frames, head, question, agentDigest, ends };
}

function corrupt(): never {
  throw new CorruptRecordError("a stored seal cannot be read");
}
