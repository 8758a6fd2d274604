import { IMAGE_TYPES, type ImageType } from "../schemas/attachment.ts";
import type { Protocol } from "../schemas/connection_config.ts";

const MIB = 1_048_576;

/** What one request may hold for any provider: Google's limit of 20 MB, as base64, with room for text. */
export const MAX_REQUEST_IMAGE_BYTES = 14 * MIB;
/** Anthropic accepts only small images in requests with more than 20. */
export const MAX_REQUEST_IMAGES = 20;

/** The properties of an image that providers limit and charge for. */
export interface ImageFacts {
  mediaType: ImageType;
  bytes: number;
  width: number;
  height: number;
}

/** What the API of a protocol accepts, and the most tokens that its models count for an image. */
interface ImageRules {
  mediaTypes: readonly ImageType[];
  maxBytes: number;
  maxTokens(image: ImageFacts, model: string): number;
}

const IMAGE_RULES: Readonly<Record<Protocol, ImageRules>> = {
  openai: { mediaTypes: IMAGE_TYPES, maxBytes: 10 * MIB, maxTokens: openaiTokens },
  // 5 MiB of base64.
  anthropic: { mediaTypes: IMAGE_TYPES, maxBytes: 5 * MIB * 3 / 4, maxTokens: anthropicTokens },
  google: {
    mediaTypes: ["image/png", "image/jpeg", "image/webp"],
    maxBytes: 10 * MIB,
    maxTokens: googleTokens,
  },
};

/** Why a model's provider would reject an image; `undefined` if it accepts it. */
export function imageRejection(image: ImageFacts, protocol: Protocol): string | undefined {
  const { mediaTypes, maxBytes } = IMAGE_RULES[protocol];
  if (!mediaTypes.includes(image.mediaType)) return "its provider does not read this type of image";
  if (image.bytes <= maxBytes) return undefined;
  const size = (maxBytes / MIB).toFixed(1).replace(/\.0$/, "");
  return `its provider reads images of at most ${size} MiB`;
}

/** Upper bound of the input tokens of an image, whatever its file's size. */
export function maxImageTokens(
  image: ImageFacts,
  { protocol, model }: { protocol: Protocol; model: string },
): number {
  return IMAGE_RULES[protocol].maxTokens(image, model);
}

/**
 * OpenAI counts tiles of 512 pixels after scaling the image to 768 by 2,048 (at most 8 tiles of 170
 * tokens and 85 more, for small GPT-4o models 5,667 and 2,833), or patches of 32 pixels, at most 1,536
 * times at most 2.46. Compatible servers run models that count a patch of 28 pixels as a token, up to
 * 16,384 (Qwen-VL, the most of the well-known ones). Source: platform.openai.com/docs/guides/images-vision.
 */
function openaiTokens({ width, height }: ImageFacts, model: string): number {
  const tiles = tilesOfOpenai({ width, height });
  const perTile = /gpt-4o-mini/i.test(model) ? [2_833, 5_667] : [85, 170];
  const byTiles = perTile[0]! + perTile[1]! * tiles;
  const byPatches = Math.ceil(Math.min(patches({ width, height }, 32), 1_536) * 2.46);
  const bySmallPatches = Math.min(patches({ width, height }, 28), 16_384);
  return Math.max(byTiles, byPatches, bySmallPatches);
}

/** Scaled to fit 2,048 by 2,048, then to a short side of 768; never enlarged. */
function tilesOfOpenai({ width, height }: Pick<ImageFacts, "width" | "height">): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height));
  const short = Math.min(1, 768 / (Math.min(width, height) * fit));
  const scale = fit * short;
  return Math.ceil(width * scale / 512) * Math.ceil(height * scale / 512);
}

/**
 * Anthropic counts width times height divided by 750, or patches of 28 pixels, after scaling to at most
 * 2,576 pixels a side, and at most 4,784 tokens. Source: docs.claude.com, "Vision".
 */
function anthropicTokens({ width, height }: ImageFacts): number {
  const byArea = Math.ceil(width * height / 750);
  return Math.min(5_000, Math.max(byArea, patches({ width, height }, 28)));
}

/**
 * Google counts 258 tokens for a tile, whose side is two thirds of the image's short side within 256 and
 * 768 pixels; Gemini 3 counts 1,120 for an image, 2,240 at its highest resolution. Source:
 * ai.google.dev/gemini-api/docs/image-understanding.
 */
function googleTokens({ width, height }: ImageFacts): number {
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  const tiles = Math.ceil(width / side) * Math.ceil(height / side);
  return Math.max(2_240, tiles * 258);
}

function patches({ width, height }: Pick<ImageFacts, "width" | "height">, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side);
}
