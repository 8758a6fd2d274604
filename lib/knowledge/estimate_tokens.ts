import { utf8Length } from "../platform/utf8.ts";

/**
 * About how many tokens a model reads in `text`: a quarter of its UTF-8 bytes. That is close for
 * English and errs on the high side for most other scripts, so that a passage is rather too short.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8Length(text) / 4);
}
