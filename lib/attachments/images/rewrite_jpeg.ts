import { ByteReader } from "./byte_reader.ts";
import { checkImageSize, type ImageSize } from "./image_bounds.ts";
import { ImageError } from "./image_error.ts";
import { EXIF_SIGNATURE, orientationSegment, readOrientation } from "./exif_orientation.ts";
import { checkHuffmanTables, checkQuantization, parseFrame, parseScan } from "./jpeg_segments.ts";
import type { ImageParts } from "./rewrite_image.ts";

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DHT = 0xc4;
const DRI = 0xdd;
const COM = 0xfe;
/** Baseline, extended and progressive, with Huffman coding: what cameras and browsers write. */
const FRAMES = [0xc0, 0xc1, 0xc2];
const JFIF_SEGMENT = Uint8Array.of(
  ...[0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
);
/** A file has one segment per table and scan; a progressive one has some 10 scans. */
const MAX_SEGMENTS = 2_000;

interface JpegState {
  /** Segments that are kept, and the scans. */
  parts: Uint8Array[];
  frame: ImageSize & { components: readonly number[] } | undefined;
  hasScan: boolean;
  isJfif: boolean;
  /** Color transform of Adobe's segment, without which some colors are wrong. */
  adobe: number | undefined;
  orientation: number;
  /** The file says that other images follow, such as an HDR gain map. */
  hasMoreImages: boolean;
}

/**
 * Keeps tables, frame header and scans; application segments and comments are dropped, except for what
 * the display depends on: color transform and orientation, of which it writes its own. Source: ITU-T T.81.
 * Throws `ImageError`.
 */
export function rewriteJpeg(bytes: Uint8Array): ImageParts {
  const reader = new ByteReader(bytes);
  reader.take(2);
  const state: JpegState = {
    ...{ parts: [], frame: undefined, hasScan: false, isJfif: false, adobe: undefined },
    ...{ orientation: 1, hasMoreImages: false },
  };
  for (let count = 0; count < MAX_SEGMENTS; count++) {
    const marker = readMarker(reader);
    if (marker === EOI) return finish(reader, state);
    const start = reader.at;
    const length = reader.uint16();
    if (length < 2) throw new ImageError("has a malformed segment");
    const data = reader.take(length - 2);
    const segment = bytes.subarray(start, reader.at);
    readSegment(marker, { data, segment, state });
    if (marker === SOS) state.parts.push(readEntropyCoded(reader));
  }
  throw new ImageError("has too many segments");
}

/** Skips the fill bytes that may precede a marker. */
function readMarker(reader: ByteReader): number {
  if (reader.uint8() !== 0xff) throw new ImageError("has data between its segments");
  for (;;) {
    const marker = reader.uint8();
    if (marker !== 0xff) return marker;
  }
}

function readSegment(
  marker: number,
  { data, segment, state }: { data: Uint8Array; segment: Uint8Array; state: JpegState },
): void {
  if (marker >= 0xe0 && marker <= 0xef) return readApplication(marker, { data, state });
  if (marker === COM) return;
  if (marker === DQT) checkQuantization(data);
  else if (marker === DHT) checkHuffmanTables(data);
  else if (marker === DRI) {
    if (data.length !== 2) throw new ImageError("has a malformed segment");
  } else if (FRAMES.includes(marker)) {
    if (state.frame !== undefined) throw new ImageError("has two headers");
    state.frame = parseFrame(data);
    checkImageSize(state.frame);
  } else if (marker === SOS) {
    if (state.frame === undefined) throw new ImageError("has no header");
    parseScan(data, state.frame);
    state.hasScan = true;
  } else throw new ImageError("has an unsupported kind of segment");
  state.parts.push(Uint8Array.of(0xff, marker), segment);
}

function readApplication(
  marker: number,
  { data, state }: { data: Uint8Array; state: JpegState },
): void {
  const head = String.fromCharCode(...data.subarray(0, 6));
  if (marker === 0xe0 && head.startsWith("JFIF\0")) state.isJfif = true;
  if (marker === 0xe1 && head === EXIF_SIGNATURE) {
    state.orientation = readOrientation(data.subarray(EXIF_SIGNATURE.length));
  }
  if (marker === 0xe2 && head.startsWith("MPF\0")) state.hasMoreImages = true;
  if (marker !== 0xee || !head.startsWith("Adobe")) return;
  const transform = data[11];
  if (transform === undefined || transform > 2) throw new ImageError("has a malformed segment");
  state.adobe = transform;
}

/** The data of a scan, up to the next marker that is neither a stuffed byte nor a restart. */
function readEntropyCoded(reader: ByteReader): Uint8Array {
  const { bytes, at: start } = reader;
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) break;
    if (next === 0xff) continue;
    if (next === 0 || (next >= 0xd0 && next <= 0xd7)) continue;
    if (at === start) throw new ImageError("has no pixel data");
    reader.skipTo(at);
    return bytes.subarray(start, at);
  }
  throw new ImageError("is cut short");
}

function finish(
  reader: ByteReader,
  { parts, frame, hasScan, isJfif, adobe, orientation, hasMoreImages }: JpegState,
): ImageParts {
  if (frame === undefined || !hasScan) throw new ImageError("has no pixel data");
  // The announced images are dropped with their announcement.
  const isFollowed = hasMoreImages && reader.remaining > 2 &&
    reader.take(2).every((byte, n) => byte === [0xff, SOI][n]);
  if (!isFollowed) reader.expectEnd();
  const head: Uint8Array[] = [Uint8Array.of(0xff, SOI)];
  if (isJfif) head.push(JFIF_SEGMENT);
  if (orientation > 1) head.push(orientationSegment(orientation));
  if (adobe !== undefined) head.push(adobeSegment(adobe));
  const { width, height } = frame;
  const all = [...head, ...parts, Uint8Array.of(0xff, EOI)];
  return { mediaType: "image/jpeg", width, height, parts: all };
}

function adobeSegment(transform: number): Uint8Array {
  const name = new TextEncoder().encode("Adobe");
  return Uint8Array.of(0xff, 0xee, 0, 14, ...name, 0, 100, 0, 0, 0, 0, transform);
}
