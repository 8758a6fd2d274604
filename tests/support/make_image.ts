/** Small valid images of every format, with metadata that must be dropped. */
import { crc32, deflateSync } from "node:zlib";

export const SECRET_METADATA = "GPS 52.5 N 13.4 E, by Jane";

type Bytes = Uint8Array<ArrayBuffer>;
type Part = string | number[] | Uint8Array;

/** Joins parts; text is one byte a character. */
export function join(...parts: Part[]): Bytes {
  const all = parts.flatMap((part) =>
    typeof part === "string" ? [...part].map((one) => one.charCodeAt(0)) : [...part]
  );
  return new Uint8Array(all);
}

function u32(n: number): number[] {
  return [n >>> 24, n >>> 16 & 255, n >>> 8 & 255, n & 255];
}

function u16(n: number): number[] {
  return [n >> 8 & 255, n & 255];
}

function u32le(n: number): number[] {
  return u32(n).toReversed();
}

export function pngChunk(type: string, data: Part = ""): Bytes {
  const body = join(type, data);
  return join(u32(body.length - 4), body, u32(crc32(body)));
}

export interface ImageShape {
  width?: number;
  height?: number;
  /** Chunks, segments or blocks before the pixels. */
  extra?: readonly Uint8Array[];
}

/** A gray picture, RGB. */
export function makePng({ width = 4, height = 3, extra = [] }: ImageShape = {}): Bytes {
  const pixels = deflateSync(new Uint8Array(Math.min(4_096, (width * 3 + 1) * height)).fill(128));
  return join(
    ...[[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    pngChunk("IHDR", [...u32(width), ...u32(height), 8, 2, 0, 0, 0]),
    pngChunk("tEXt", `Comment\0${SECRET_METADATA}`),
    pngChunk("eXIf", SECRET_METADATA),
    ...extra,
    pngChunk("IDAT", pixels),
    pngChunk("IEND"),
  );
}

export function segment(marker: number, data: Part): Bytes {
  const bytes = join(data);
  return join([0xff, marker], u16(bytes.length + 2), bytes);
}

/** An EXIF segment whose first tag is the orientation, and whose second holds text. */
export function exif(orientation: number): Bytes {
  const ifd = [...u16(1), ...u16(0x0112), ...u16(3), ...u32(1), ...u16(orientation), 0, 0];
  return segment(0xe1, join("Exif\0\0MM", u16(42), u32(8), ifd, u32(0), SECRET_METADATA));
}

/** A gray baseline JPEG of 8 by 8 pixels, or one that says it is larger. */
export function makeJpeg({ width = 8, height = 8, extra = [] }: ImageShape = {}): Bytes {
  return join(
    ...[[0xff, 0xd8]],
    segment(0xe0, join("JFIF\0", [1, 1, 0, 0, 1, 0, 1, 0, 0])),
    segment(0xfe, SECRET_METADATA),
    segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET_METADATA}`),
    ...extra,
    segment(0xdb, [0, ...Array(64).fill(1)]),
    segment(0xc0, [8, ...u16(height), ...u16(width), 1, 1, 0x11, 0]),
    segment(0xc4, [0x00, 1, ...Array(15).fill(0), 0]),
    segment(0xc4, [0x10, 1, ...Array(15).fill(0), 0]),
    segment(0xda, [1, 1, 0x00, 0, 63, 0]),
    ...[[0x3f, 0xff, 0x00, 0x3f]],
    ...[[0xff, 0xd9]],
  );
}

function riff(type: string, data: Part): Bytes {
  const bytes = join(data);
  return join(type, u32le(bytes.length), bytes, bytes.length % 2 === 0 ? [] : [0]);
}

/** Lossless; only its header is valid, as nothing decodes it. */
function vp8l(width: number, height: number): Bytes {
  const bits = (width - 1) | (height - 1) << 14;
  return riff("VP8L", join([0x2f], u32le(bits), [1, 2, 3]));
}

export function vp8(width: number, height: number): Bytes {
  const size = [width & 255, width >> 8, height & 255, height >> 8];
  return riff("VP8 ", [0x10, 0, 0, 0x9d, 0x01, 0x2a, ...size, 1, 2]);
}

export function riffFile(...chunks: Uint8Array[]): Bytes {
  const body = join("WEBP", ...chunks);
  return join("RIFF", u32le(body.length), body);
}

export function vp8x(width: number, height: number, flags: number): Bytes {
  const [w, h] = [width - 1, height - 1];
  const sizes = [w & 255, w >> 8 & 255, w >> 16, h & 255, h >> 8 & 255, h >> 16];
  return riff("VP8X", [flags, 0, 0, 0, ...sizes]);
}

/** An extended WebP with transparency and metadata. */
export function makeWebp({ width = 5, height = 4, extra = [] }: ImageShape = {}): Bytes {
  return riffFile(
    vp8x(width, height, 0x3c),
    riff("ICCP", SECRET_METADATA),
    riff("ALPH", [0, 1, 2]),
    vp8(width, height),
    riff("EXIF", SECRET_METADATA),
    riff("XMP ", SECRET_METADATA),
    ...extra,
  );
}

/** An animation of two frames. */
export function makeAnimatedWebp(): Bytes {
  const frame = (n: number) => riff("ANMF", join(Array(16).fill(n), vp8l(5, 4)));
  return riffFile(vp8x(5, 4, 0x02), riff("ANIM", [0, 0, 0, 0, 0, 0]), frame(0), frame(1));
}

/** Two frames, a comment and looping. */
export function makeGif({ width = 2, height = 2, extra = [] }: ImageShape = {}): Bytes {
  const le16 = (n: number) => [n & 255, n >> 8];
  const frame = join(
    [0x21, 0xf9, 4, 0x01, 10, 0, 1, 0],
    [0x2c, 0, 0, 0, 0, ...le16(Math.min(2, width)), ...le16(Math.min(2, height)), 0],
    [2, 2, 0x84, 0x51, 0],
  );
  return join(
    "GIF89a",
    [...le16(width), ...le16(height), 0x80, 0, 0],
    [0, 0, 0, 255, 255, 255],
    join([0x21, 0xfe, SECRET_METADATA.length], SECRET_METADATA, [0]),
    join([0x21, 0xff, 11], "NETSCAPE2.0", [3, 1, 0, 0, 0]),
    ...extra,
    frame,
    frame,
    [0x3b],
  );
}

export const IMAGES = {
  "image/png": makePng,
  "image/jpeg": makeJpeg,
  "image/webp": makeWebp,
  "image/gif": makeGif,
} as const;
