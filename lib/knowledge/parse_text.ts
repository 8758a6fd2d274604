import type { Block } from "./block.ts";
import { cleanText } from "./clean_text.ts";

/** Paragraphs, set apart by empty lines; line ends inside of them stay. */
export function parseText(text: string): Block[] {
  return cleanText(text).split(/\n[^\S\n]*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part): Block => ({ type: "paragraph", text: part }));
}
