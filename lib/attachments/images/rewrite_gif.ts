import { ByteReader } from "./byte_reader.ts";
import { checkImageSize, type ImageSize } from "./image_bounds.ts";
import { ImageError } from "./image_error.ts";
import type { ImageParts } from "./rewrite_image.ts";

export const GIF_SIGNATURES = ["GIF87a", "GIF89a"] as const;

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
const GRAPHIC_CONTROL = 0xf9;
const LITTLE = { littleEndian: true } as const;

/**
 * Keeps the first frame with its colors and transparency; comments, application data (XMP, looping) and
 * further frames are parsed and dropped. Source: GIF89a specification. Throws `ImageError`.
 */
export function rewriteGif(bytes: Uint8Array): ImageParts {
  const reader = new ByteReader(bytes);
  reader.take(6);
  const [width, height] = [reader.uint16(LITTLE), reader.uint16(LITTLE)];
  checkImageSize({ width, height });
  const flags = reader.uint8();
  reader.take(2);
  const screen = bytes.slice(0, reader.at);
  screen.set(new TextEncoder().encode("GIF89a"));
  const colors = reader.take(colorTableBytes(flags));
  const frame = readBlocks(reader, { width, height });
  reader.expectEnd();
  const parts = [screen, colors, ...frame, Uint8Array.of(TRAILER)];
  return { mediaType: "image/gif", width, height, parts };
}

/** Reads all blocks up to the trailer; returns the first frame. */
function readBlocks(reader: ByteReader, canvas: ImageSize): Uint8Array[] {
  let control: Uint8Array | undefined;
  let first: Uint8Array[] | undefined;
  for (;;) {
    const kind = reader.uint8();
    if (kind === TRAILER) return first ?? noFrame();
    if (kind === IMAGE) {
      const frame = readFrame(reader, canvas);
      first ??= control === undefined ? [frame] : [control, frame];
      control = undefined;
    } else if (kind === EXTENSION) {
      const label = reader.uint8();
      if (label === GRAPHIC_CONTROL) control = readGraphicControl(reader);
      else skipSubBlocks(reader);
    } else throw new ImageError("has an unknown block");
  }
}

function noFrame(): never {
  throw new ImageError("has no frame");
}

/** The transparent color; a still image has no delay. */
function readGraphicControl(reader: ByteReader): Uint8Array {
  const size = reader.uint8();
  const [flags = 0, , , transparent = 0] = reader.take(4);
  if (size !== 4 || reader.uint8() !== 0) throw new ImageError("has a malformed extension");
  return Uint8Array.of(EXTENSION, GRAPHIC_CONTROL, 4, flags & 0x01, 0, 0, transparent, 0);
}

function readFrame(reader: ByteReader, { width, height }: ImageSize): Uint8Array {
  const start = reader.at - 1;
  const [left, top] = [reader.uint16(LITTLE), reader.uint16(LITTLE)];
  const [frameWidth, frameHeight] = [reader.uint16(LITTLE), reader.uint16(LITTLE)];
  const fits = frameWidth > 0 && frameHeight > 0 && left + frameWidth <= width &&
    top + frameHeight <= height;
  if (!fits) throw new ImageError("has a frame outside its canvas");
  reader.take(colorTableBytes(reader.uint8()));
  const codeSize = reader.uint8();
  if (codeSize < 2 || codeSize > 8) throw new ImageError("has malformed pixel data");
  if (skipSubBlocks(reader) === 0) throw new ImageError("has no pixel data");
  return reader.bytes.subarray(start, reader.at);
}

/** The size of a color table by the flags before it; 0 if there is none. */
function colorTableBytes(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 0x07) + 1);
}

/** Skips to the end of a chain of blocks of up to 255 bytes; returns their number. */
function skipSubBlocks(reader: ByteReader): number {
  for (let count = 0;; count++) {
    const size = reader.uint8();
    if (size === 0) return count;
    reader.take(size);
  }
}
