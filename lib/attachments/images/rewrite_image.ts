import { concatBytes } from "../../platform/bytes.ts";
import type { ImageType } from "../../schemas/attachment.ts";
import { GIF_SIGNATURES, rewriteGif } from "./rewrite_gif.ts";
import { rewriteJpeg } from "./rewrite_jpeg.ts";
import { PNG_SIGNATURE, rewritePng } from "./rewrite_png.ts";
import { rewriteWebp } from "./rewrite_webp.ts";

/** The pieces of a rewritten file, in order. */
export interface ImageParts {
  mediaType: ImageType;
  width: number;
  height: number;
  parts: readonly Uint8Array[];
}

/** A file that holds an image and nothing else. */
export interface RewrittenImage extends Omit<ImageParts, "parts"> {
  bytes: Uint8Array<ArrayBuffer>;
}

const REWRITERS: Readonly<Record<ImageType, (bytes: Uint8Array) => ImageParts>> = {
  "image/png": rewritePng,
  "image/jpeg": rewriteJpeg,
  "image/webp": rewriteWebp,
  "image/gif": rewriteGif,
};

/** The type of an image by its first bytes; `undefined` if it is none of the accepted ones. */
export function sniffImageType(bytes: Uint8Array): ImageType | undefined {
  if (PNG_SIGNATURE.every((byte, n) => bytes[n] === byte)) return "image/png";
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return "image/jpeg";
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (GIF_SIGNATURES.some((signature) => head.startsWith(signature))) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

/**
 * Rewrites an image piece by piece, without its metadata and everything else that is not needed to show
 * it. Takes time and memory in proportion to the file and decodes no pixels. Throws `ImageError` for a
 * file that is malformed, has data after its end, or is too large to show.
 */
export function rewriteImage(bytes: Uint8Array, type: ImageType): RewrittenImage {
  const { parts, ...image } = REWRITERS[type](bytes);
  return { ...image, bytes: concatBytes([...parts]) };
}
