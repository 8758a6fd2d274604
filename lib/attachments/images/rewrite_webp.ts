import { ByteReader } from "./byte_reader.ts";
import { checkImageSize, type ImageSize } from "./image_bounds.ts";
import { ImageError } from "./image_error.ts";
import type { ImageParts } from "./rewrite_image.ts";

const LITTLE = { littleEndian: true } as const;
const ANIMATION_FLAG = 0x02;
const ALPHA_FLAG = 0x10;
/** Bytes of an animation frame before its chunks: position, size, duration, flags. */
const FRAME_HEADER_BYTES = 16;
const MAX_CHUNKS = 20_000;

type Chunk = { type: string; data: Uint8Array };

/**
 * Keeps the image and its transparency, of an animation the first frame; EXIF, XMP, color profiles and
 * unknown chunks are dropped. Source: RFC 9649. Throws `ImageError`.
 */
export function rewriteWebp(bytes: Uint8Array): ImageParts {
  const reader = new ByteReader(bytes);
  reader.take(4);
  const size = reader.uint32(LITTLE);
  if (size % 2 !== 0 || size !== bytes.length - 8) {
    throw new ImageError(size < bytes.length - 8 ? "has data after its end" : "is cut short");
  }
  reader.take(4);
  const chunks = readChunks(reader.take(reader.remaining));
  const [first] = chunks;
  if (first?.type !== "VP8X") return assemble(chunks, { isExtended: false });
  if (chunks.slice(1).some(({ type }) => type === "VP8X")) throw new ImageError("has two headers");
  const header = parseExtendedHeader(first.data);
  if (!header.isAnimated) {
    const image = assemble(chunks, { isExtended: true });
    if (image.width !== header.width || image.height !== header.height) {
      throw new ImageError("has another size than its header says");
    }
    return image;
  }
  const frame = chunks.find(({ type }) => type === "ANMF");
  if (frame === undefined || frame.data.length < FRAME_HEADER_BYTES) {
    throw new ImageError("has no frame");
  }
  return assemble(readChunks(frame.data.subarray(FRAME_HEADER_BYTES)), { isExtended: true });
}

function readChunks(bytes: Uint8Array): Chunk[] {
  const reader = new ByteReader(bytes);
  const chunks: Chunk[] = [];
  while (reader.remaining > 0) {
    const type = reader.text(4);
    if (!/^[\x20-\x7e]{4}$/.test(type) || chunks.length === MAX_CHUNKS) {
      throw new ImageError("has a malformed chunk");
    }
    const length = reader.uint32(LITTLE);
    chunks.push({ type, data: reader.take(length) });
    if (length % 2 === 1 && reader.uint8() !== 0) throw new ImageError("has a malformed chunk");
  }
  return chunks;
}

function parseExtendedHeader(data: Uint8Array): ImageSize & { isAnimated: boolean } {
  if (data.length !== 10) throw new ImageError("has a malformed header");
  const reader = new ByteReader(data);
  const isAnimated = (reader.uint8() & ANIMATION_FLAG) !== 0;
  reader.take(3);
  const size = { width: reader.uint24(LITTLE) + 1, height: reader.uint24(LITTLE) + 1 };
  checkImageSize(size);
  return { ...size, isAnimated };
}

/** A file with one image, and its transparency if that is stored separately. */
function assemble(
  chunks: readonly Chunk[],
  { isExtended }: { isExtended: boolean },
): ImageParts {
  const images = chunks.filter(({ type }) => type === "VP8 " || type === "VP8L");
  const [image] = images;
  if (image === undefined || images.length > 1) throw new ImageError("has no single image");
  if (!isExtended && chunks.length > 1) throw new ImageError("has data after its end");
  const size = image.type === "VP8 "
    ? parseLossyHeader(image.data)
    : parseLosslessHeader(image.data);
  checkImageSize(size);
  const alphas = chunks.filter(({ type }) => type === "ALPH");
  if (alphas.length > 1) throw new ImageError("has transparency twice");
  const [alpha] = image.type === "VP8 " ? alphas : [];
  if (alpha === undefined) return toFile(size, encodeChunk(image));
  const isBefore = chunks.indexOf(alpha) < chunks.indexOf(image);
  if (!isBefore || alpha.data.length === 0) throw new ImageError("has malformed transparency");
  const extended = { type: "VP8X", data: extendedHeader(size) };
  return toFile(size, [extended, alpha, image].flatMap(encodeChunk));
}

/** RFC 6386, section 9.1. */
function parseLossyHeader(data: Uint8Array): ImageSize {
  const reader = new ByteReader(data);
  const isKeyFrame = (reader.uint24(LITTLE) & 1) === 0;
  if (!isKeyFrame || reader.uint24() !== 0x9d012a) throw new ImageError("has malformed pixel data");
  return { width: reader.uint16(LITTLE) & 0x3fff, height: reader.uint16(LITTLE) & 0x3fff };
}

/** RFC 9649, section 3.4. */
function parseLosslessHeader(data: Uint8Array): ImageSize {
  const reader = new ByteReader(data);
  const signature = reader.uint8();
  const bits = reader.uint32(LITTLE);
  if (signature !== 0x2f || bits >>> 29 !== 0) throw new ImageError("has malformed pixel data");
  return { width: (bits & 0x3fff) + 1, height: (bits >>> 14 & 0x3fff) + 1 };
}

function extendedHeader({ width, height }: ImageSize): Uint8Array {
  const bytes = new Uint8Array(10);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, ALPHA_FLAG);
  view.setUint16(4, (width - 1) & 0xffff, true);
  view.setUint16(7, (height - 1) & 0xffff, true);
  return bytes;
}

function encodeChunk({ type, data }: Chunk): Uint8Array[] {
  const header = new Uint8Array(8);
  header.set(new TextEncoder().encode(type));
  new DataView(header.buffer).setUint32(4, data.length, true);
  return data.length % 2 === 0 ? [header, data] : [header, data, new Uint8Array(1)];
}

function toFile({ width, height }: ImageSize, body: Uint8Array[]): ImageParts {
  const header = new Uint8Array(12);
  const encoder = new TextEncoder();
  header.set(encoder.encode("RIFF"));
  header.set(encoder.encode("WEBP"), 8);
  const size = body.reduce((sum, { length }) => sum + length, 4);
  new DataView(header.buffer).setUint32(4, size, true);
  return { mediaType: "image/webp", width, height, parts: [header, ...body] };
}
