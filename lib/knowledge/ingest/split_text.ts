import { utf8Length } from "../../platform/utf8.ts";

/** A quarter of the UTF-8 bytes: close for English, and rather too high for most other scripts. */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8Length(text) / 4);
}

/** Text is segmented in windows of this size, because the segmenter's time is not linear. */
const SEGMENT_WINDOW = 4_000;

/**
 * Splits text into parts of at most `max` tokens: at line ends, else after sentences, else after
 * words, else between characters. Only white space is dropped.
 */
export function splitText(text: string, max: number): string[] {
  if (estimateTokens(text) <= max) return [text];
  return joinShort(text.split(/(?<=\n)/).flatMap((line) => splitLine(line, max)), max);
}

/** Works for any script; a very long sentence is split. */
export function splitSentences(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  return sliceAt(text, (from) => windowEnd(text, from)).flatMap((window) =>
    Array.from(segmenter.segment(window), ({ segment }) => segment)
  );
}

function splitLine(line: string, max: number): string[] {
  if (estimateTokens(line) <= max) return [line];
  return splitSentences(line).flatMap((sentence) => {
    if (estimateTokens(sentence) <= max) return [sentence];
    return joinShort(splitWords(sentence, max), max);
  });
}

function splitWords(text: string, max: number): string[] {
  return text.split(/(?<=\s)(?=\S)/).flatMap((word) => {
    if (estimateTokens(word) <= max) return [word];
    // An endless word. No UTF-16 unit takes more than four bytes, so `max` of them fit.
    return sliceAt(word, (from) => characterBoundary(word, from + max));
  });
}

function joinShort(parts: string[], max: number): string[] {
  const joined: string[] = [];
  let current = "";
  let tokens = 0;
  for (const part of parts) {
    const more = estimateTokens(part);
    if (current !== "" && tokens + more > max) {
      joined.push(current);
      [current, tokens] = ["", 0];
    }
    current += part;
    tokens += more;
  }
  if (current !== "") joined.push(current);
  return joined.map((part) => part.trim()).filter((part) => part !== "");
}

function sliceAt(text: string, endOf: (from: number) => number): string[] {
  const slices: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = endOf(at);
    slices.push(text.slice(at, end));
    at = end;
  }
  return slices;
}

function windowEnd(text: string, from: number): number {
  const limit = from + SEGMENT_WINDOW;
  if (limit >= text.length) return text.length;
  const space = text.lastIndexOf(" ", limit);
  return space > from ? space + 1 : characterBoundary(text, limit);
}

/** `at`, or the next position where that would split a surrogate pair. */
function characterBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? at + 1 : at;
}
