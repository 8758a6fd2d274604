export const EXIF_SIGNATURE = "Exif\0\0";

const ORIENTATION_TAG = 0x0112;
const SHORT_TYPE = 3;
const MAX_ENTRIES = 1_000;

/**
 * How an image is turned, 1 to 8: 1, upright, if the TIFF data of an EXIF segment says nothing valid.
 * Photos of phones are often stored lying on their side. Source: EXIF 2.32, section 4.6.
 */
export function readOrientation(tiff: Uint8Array): number {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const order = String.fromCharCode(...tiff.subarray(0, 2));
  if (tiff.length < 8 || (order !== "II" && order !== "MM")) return 1;
  const isLittle = order === "II";
  const start = view.getUint32(4, isLittle);
  if (view.getUint16(2, isLittle) !== 42 || start + 2 > tiff.length) return 1;
  const count = Math.min(view.getUint16(start, isLittle), MAX_ENTRIES);
  for (let n = 0; n < count; n++) {
    const at = start + 2 + 12 * n;
    if (at + 12 > tiff.length) return 1;
    if (view.getUint16(at, isLittle) !== ORIENTATION_TAG) continue;
    const value = view.getUint16(at + 8, isLittle);
    const isValid = view.getUint16(at + 2, isLittle) === SHORT_TYPE && value >= 1 && value <= 8;
    return isValid ? value : 1;
  }
  return 1;
}

/** An EXIF segment with the orientation and nothing else. */
export function orientationSegment(orientation: number): Uint8Array {
  const tiff = [
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8],
    ...[0, 1, 0x01, 0x12, 0, SHORT_TYPE, 0, 0, 0, 1, 0, orientation, 0, 0],
    ...[0, 0, 0, 0],
  ];
  const name = new TextEncoder().encode(EXIF_SIGNATURE);
  return Uint8Array.of(0xff, 0xe1, 0, 2 + name.length + tiff.length, ...name, ...tiff);
}
