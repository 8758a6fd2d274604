import { APPEARANCE_BOUNDS } from "../../schemas/limits.ts";

/** Sharp at 44 px on screens of double density. */
const SIZE = 96;
const QUALITIES = [0.9, 0.75, 0.6, 0.4];

/**
 * An image file as a square `data:` address that an avatar may have; drawing it again drops what
 * else is in the file. `undefined` if it cannot be made small enough; throws for what is no image.
 */
export async function shrinkImage(file: Blob): Promise<string | undefined> {
  const image = await createImageBitmap(file);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIZE;
  const side = Math.min(image.width, image.height);
  const left = (image.width - side) / 2;
  const top = (image.height - side) / 2;
  canvas.getContext("2d")!.drawImage(image, left, top, side, side, 0, 0, SIZE, SIZE);
  image.close();
  // A browser that cannot write WebP returns PNG.
  const all = QUALITIES.map((quality) => canvas.toDataURL("image/webp", quality));
  return all.find((address) => address.length <= APPEARANCE_BOUNDS.avatarLength);
}
