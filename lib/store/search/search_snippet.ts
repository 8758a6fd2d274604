import { cutText } from "../../platform/cut_text.ts";
import { wordsIn } from "../../schemas/search_terms.ts";

/** Characters before and after the first match. */
const BEFORE = 40;
const AFTER = 120;

export interface SnippetPart {
  text: string;
  isMatch: boolean;
}

/** A part of the text around the first of the terms, with all of them marked; `undefined` without one. */
export function snippetOf(
  text: string,
  terms: ReadonlySet<string>,
): SnippetPart[] | undefined {
  const words = [...wordsIn(text)].filter((word) => word.terms.some((term) => terms.has(term)));
  const [first] = words;
  if (first === undefined) return undefined;
  const start = Math.max(0, first.start - BEFORE);
  const end = Math.min(text.length, first.end + AFTER);
  const parts: SnippetPart[] = [];
  let at = start;
  const add = (to: number, isMatch: boolean) => {
    if (to > at) parts.push({ text: cutText(text, at, to).replace(/\s+/g, " "), isMatch });
    at = to;
  };
  for (const word of words.filter((one) => one.end <= end)) {
    add(word.start, false);
    add(word.end, true);
  }
  add(end, false);
  if (start > 0) parts.unshift({ text: "…", isMatch: false });
  if (end < text.length) parts.push({ text: "…", isMatch: false });
  return parts;
}
