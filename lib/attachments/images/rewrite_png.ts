import { crc32 } from "node:zlib";
import { ByteReader } from "./byte_reader.ts";
import { checkImageSize } from "./image_bounds.ts";
import { ImageError } from "./image_error.ts";
import type { ImageParts } from "./rewrite_image.ts";

export const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] as const;

/** Allowed bit depths by color type. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const PALETTE = 3;
/** Smaller chunks than this cost more than they carry; encoders write 8 KiB and more. */
const MAX_CHUNKS = 20_000;

interface Header {
  width: number;
  height: number;
  color: number;
}

/** Where the file is in the order of its chunks. */
interface PngState {
  header: Header | undefined;
  paletteEntries: number;
  hasTransparency: boolean;
  data: "before" | "inside" | "after";
}

/**
 * Keeps the header, palette, transparency and pixel data, whose checksums are verified; every other
 * chunk is dropped: text, EXIF, color profiles, and the further frames of an APNG. Source: PNG 3rd
 * edition. Throws `ImageError`.
 */
export function rewritePng(bytes: Uint8Array): ImageParts {
  const reader = new ByteReader(bytes);
  const parts: Uint8Array[] = [reader.take(PNG_SIGNATURE.length)];
  const state: PngState = {
    header: undefined,
    paletteEntries: 0,
    hasTransparency: false,
    data: "before",
  };
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const start = reader.at;
    const length = reader.uint32();
    const typed = reader.take(4);
    const type = String.fromCharCode(...typed);
    if (!/^[A-Za-z]{2}[A-Z][A-Za-z]$/.test(type)) throw new ImageError("has a malformed chunk");
    const data = reader.take(length);
    if (reader.uint32() !== checksum(typed, data)) throw new ImageError("has a damaged chunk");
    if (state.header === undefined && type !== "IHDR") throw new ImageError("has no header");
    if (type !== "IDAT" && state.data === "inside") state.data = "after";
    if (isKept(type, { data, state })) parts.push(bytes.subarray(start, reader.at));
    if (type !== "IEND") continue;
    reader.expectEnd();
    const { width, height } = finish(state);
    return { mediaType: "image/png", width, height, parts };
  }
  throw new ImageError("has too many chunks");
}

/** Validates the chunk; false if it is dropped. */
function isKept(type: string, { data, state }: { data: Uint8Array; state: PngState }): boolean {
  switch (type) {
    case "IHDR":
      if (state.header !== undefined) throw new ImageError("has two headers");
      state.header = parseHeader(data);
      return true;
    case "PLTE":
      checkPalette(data, state);
      return true;
    case "tRNS":
      checkTransparency(data, state);
      return true;
    case "IDAT":
      if (state.data === "after") throw new ImageError("has pixel data in two places");
      if (state.data === "before") checkCompression(data);
      state.data = "inside";
      return true;
    case "IEND":
      if (data.length > 0) throw new ImageError("has a malformed end");
      return true;
    default:
      // A lower-case first letter marks a chunk that decoders may ignore.
      if (type[0]! < "a") throw new ImageError("has an unknown critical chunk");
      return false;
  }
}

function parseHeader(data: Uint8Array): Header {
  if (data.length !== 13) throw new ImageError("has a malformed header");
  const reader = new ByteReader(data);
  const [width, height] = [reader.uint32(), reader.uint32()];
  const [depth = 0, color = 0, compression, filter, interlace = 0] = reader.take(5);
  checkImageSize({ width, height });
  const isKnown = DEPTHS[color]?.includes(depth) && compression === 0 && filter === 0;
  if (!isKnown || interlace > 1) throw new ImageError("has an unknown format");
  return { width, height, color };
}

function checkPalette({ length }: Uint8Array, state: PngState): void {
  const isAllowed = [2, PALETTE, 6].includes(state.header!.color);
  const isFirst = state.paletteEntries === 0 && !state.hasTransparency && state.data === "before";
  if (!isAllowed || !isFirst || length % 3 !== 0 || length === 0 || length > 768) {
    throw new ImageError("has a malformed palette");
  }
  state.paletteEntries = length / 3;
}

function checkTransparency({ length }: Uint8Array, state: PngState): void {
  const lengths: Record<number, boolean> = {
    0: length === 2,
    2: length === 6,
    [PALETTE]: length > 0 && length <= state.paletteEntries,
  };
  const isFirst = !state.hasTransparency && state.data === "before";
  if (!isFirst || lengths[state.header!.color] !== true) {
    throw new ImageError("has malformed transparency");
  }
  state.hasTransparency = true;
}

/** The header of a zlib stream (RFC 1950): method, window, check bits, no preset dictionary. */
function checkCompression([method, flags]: Uint8Array): void {
  const isZlib = method !== undefined && flags !== undefined && (method & 0x0f) === 8 &&
    method >> 4 <= 7 && (method << 8 | flags) % 31 === 0 && (flags & 0x20) === 0;
  if (!isZlib) throw new ImageError("has malformed pixel data");
}

function finish({ header, data, paletteEntries }: PngState): Header {
  if (data === "before") throw new ImageError("has no pixel data");
  if (header!.color === PALETTE && paletteEntries === 0) throw new ImageError("has no palette");
  return header!;
}

function checksum(type: Uint8Array, data: Uint8Array): number {
  return crc32(data, crc32(type));
}
