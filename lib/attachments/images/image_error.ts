/** Why an image is rejected; the message follows "the image". */
export class ImageError extends Error {
  override name = "ImageError";
}
