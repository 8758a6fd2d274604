import { APPEARANCE_BOUNDS as B } from "../../schemas/limits.ts";

/** What an image is for. */
export type ImageUse = "avatar" | "logo";

/** An avatar is sharp at 44 px on screens of double density. */
const AVATAR_SIZE = 96;
/** A logo is sharp at 40 px of height on screens of double density. */
const LOGO_SIZE = { width: 400, height: 80 };
const QUALITIES = [0.9, 0.75, 0.6, 0.4];
/** A browser that cannot write WebP returns PNG, which has no quality. */
const LOGO_SCALES = [1, 0.75, 0.5];

/**
 * An image file as a `data:` address that an avatar (a square) or a logo may have; drawing it again
 * drops what else is in the file. `undefined` if it cannot be made small enough; throws for what is no
 * image.
 */
export async function shrinkImage(file: Blob, use: ImageUse): Promise<string | undefined> {
  const image = await createImageBitmap(file);
  const drawn = use === "avatar"
    ? [drawSquare(image)]
    : LOGO_SCALES.map((scale) => drawWithin(image, scale));
  image.close();
  const maxLength = use === "avatar" ? B.avatarLength : B.logoLength;
  for (const canvas of drawn) {
    const all = QUALITIES.map((quality) => canvas.toDataURL("image/webp", quality));
    const small = all.find((address) => address.length <= maxLength);
    if (small !== undefined) return small;
  }
  return undefined;
}

/** The middle of the image. */
function drawSquare(image: ImageBitmap): HTMLCanvasElement {
  const canvas = canvasOf(AVATAR_SIZE, AVATAR_SIZE);
  const side = Math.min(image.width, image.height);
  const left = (image.width - side) / 2;
  const top = (image.height - side) / 2;
  canvas.getContext("2d")!.drawImage(image, left, top, side, side, 0, 0, AVATAR_SIZE, AVATAR_SIZE);
  return canvas;
}

/** The whole image, never enlarged. */
function drawWithin(image: ImageBitmap, scale: number): HTMLCanvasElement {
  const { width, height } = LOGO_SIZE;
  const fit = scale * Math.min(1, width / image.width, height / image.height);
  const canvas = canvasOf(
    Math.max(1, Math.round(image.width * fit)),
    Math.max(1, Math.round(image.height * fit)),
  );
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function canvasOf(width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  return canvas;
}
