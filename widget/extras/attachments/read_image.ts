/** Makes images smaller before they are uploaded: phones send several megabytes otherwise. */

/** Smaller photos are sent as they are, in bytes. */
const SMALL_PHOTO = 1.5e6;
/** Of a photo and of what is shown of it, in pixels. */
const MAX_SIDE = 2048;
const THUMB_SIDE = 96;

/** Paints an image, or with `null` does nothing: a ref. */
export type Paint = (canvas: HTMLCanvasElement | null) => void;

/**
 * A ref that paints an image onto its canvas. An `<img>` would need `blob:` or `data:` in the page's
 * policy for images, and be reported without.
 */
export function paintImage(image: ImageBitmap | OffscreenCanvas): Paint {
  return (canvas) => {
    if (!canvas) return;
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0);
  };
}

function scaleDown(image: ImageBitmap | OffscreenCanvas, maxSide: number): OffscreenCanvas {
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  const canvas = new OffscreenCanvas(image.width * scale, image.height * scale);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * Hands over a preview, and resolves to what is uploaded: instead of a large photo, and of a format that
 * the service does not take, a JPEG of at most 2,048 pixels a side, without what the camera wrote into
 * it. What the browser cannot read stays as it is: the service says whether it takes it.
 */
export async function readImage(file: File, preview: (paint: Paint) => void): Promise<Blob> {
  const { type, size } = file;
  try {
    const image = await createImageBitmap(file);
    const photo = scaleDown(image, MAX_SIDE);
    image.close();
    preview(paintImage(scaleDown(photo, THUMB_SIDE)));
    if (/png|gif/.test(type) || size < SMALL_PHOTO && /jpeg|webp/.test(type)) return file;
    return await photo.convertToBlob({ type: "image/jpeg", quality: 0.85 });
  } catch {
    return file;
  }
}
