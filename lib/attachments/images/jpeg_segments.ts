import { ByteReader } from "./byte_reader.ts";
import type { ImageSize } from "./image_bounds.ts";
import { ImageError } from "./image_error.ts";

/** A frame header: the image's size, and the ids of its components. */
export type JpegFrame = ImageSize & { components: readonly number[] };

/** Source: T.81, B.2.2. Only 8 bits per sample, as everywhere outside of medicine. */
export function parseFrame(data: Uint8Array): JpegFrame {
  const reader = new ByteReader(data);
  const precision = reader.uint8();
  const [height, width] = [reader.uint16(), reader.uint16()];
  const count = reader.uint8();
  const isKnown = precision === 8 && [1, 3, 4].includes(count) && reader.remaining === 3 * count;
  if (!isKnown) throw new ImageError("has an unsupported header");
  const components: number[] = [];
  for (let n = 0; n < count; n++) {
    const [id, sampling, table] = [reader.uint8(), reader.uint8(), reader.uint8()];
    const factors = [sampling >> 4, sampling & 15];
    const isValid = !components.includes(id) && table <= 3 &&
      factors.every((factor) => factor >= 1 && factor <= 4);
    if (!isValid) throw new ImageError("has a malformed header");
    components.push(id);
  }
  return { width, height, components };
}

/** Throws unless a scan names components of its frame. Source: T.81, B.2.3. */
export function parseScan(data: Uint8Array, { components }: JpegFrame): void {
  const reader = new ByteReader(data);
  const count = reader.uint8();
  if (count < 1 || count > 4 || reader.remaining !== 2 * count + 3) malformed();
  const seen: number[] = [];
  for (let n = 0; n < count; n++) {
    const [id, tables] = [reader.uint8(), reader.uint8()];
    if (!components.includes(id) || seen.includes(id)) malformed();
    if (tables >> 4 > 3 || (tables & 15) > 3) malformed();
    seen.push(id);
  }
  const [first, last, approximation] = [reader.uint8(), reader.uint8(), reader.uint8()];
  const isRange = first <= last && last <= 63;
  if (!isRange || approximation >> 4 > 13 || (approximation & 15) > 13) malformed();
}

/** Source: T.81, B.2.4.1. */
export function checkQuantization(data: Uint8Array): void {
  const reader = new ByteReader(data);
  if (reader.remaining === 0) malformed();
  while (reader.remaining > 0) {
    const kind = reader.uint8();
    if (kind >> 4 > 1 || (kind & 15) > 3) malformed();
    reader.take(kind >> 4 === 0 ? 64 : 128);
  }
}

/** Source: T.81, B.2.4.2. */
export function checkHuffmanTables(data: Uint8Array): void {
  const reader = new ByteReader(data);
  if (reader.remaining === 0) malformed();
  while (reader.remaining > 0) {
    const kind = reader.uint8();
    const codes = reader.take(16).reduce((sum, length) => sum + length, 0);
    if (kind >> 4 > 1 || (kind & 15) > 3 || codes > 256) malformed();
    reader.take(codes);
  }
}

function malformed(): never {
  throw new ImageError("has a malformed segment");
}
