import { ImageError } from "./image_error.ts";

/** Providers accept at most 8,000 pixels a side. */
export const MAX_IMAGE_SIDE = 8_000;
/** Bounds what a decoder of the image needs: 160 MB of pixels. */
export const MAX_IMAGE_PIXELS = 40_000_000;

export interface ImageSize {
  width: number;
  height: number;
}

/** Throws `ImageError` for a size that no photo or screenshot has. */
export function checkImageSize({ width, height }: ImageSize): void {
  if (width < 1 || height < 1) throw new ImageError("has no pixels");
  if (width > MAX_IMAGE_SIDE || height > MAX_IMAGE_SIDE) {
    throw new ImageError(`is larger than ${MAX_IMAGE_SIDE} pixels a side`);
  }
  if (width * height > MAX_IMAGE_PIXELS) throw new ImageError("has more than 40 million pixels");
}
