import { utf8Length } from "../../platform/utf8.ts";

/**
 * About how many tokens a model reads in `text`: a quarter of its UTF-8 bytes. That is close for
 * English and errs on the high side for most other scripts, so that a passage is rather too short.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(utf8Length(text) / 4);
}

/** What is looked through for the ends of sentences at once: the segmenter's time grows with it. */
const SEGMENT_WINDOW = 4_000;

/**
 * Cuts text that is longer than `max` tokens into pieces that are not: at line ends, else after
 * sentences, else after words, else between characters. Nothing is lost but white space.
 */
export function splitText(text: string, max: number): string[] {
  if (estimateTokens(text) <= max) return [text];
  return joinShort(splitLines(text).flatMap((line) => splitLine(line, max)), max);
}

/** The sentences of a text, in any script; a very long one comes in pieces. */
export function splitSentences(text: string): string[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  return splitWindows(text).flatMap((window) =>
    Array.from(segmenter.segment(window), ({ segment }) => segment)
  );
}

function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/);
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
    return splitCharacters(word, max);
  });
}

/** A "word" without an end: whole characters, as many as surely fit. */
function splitCharacters(word: string, max: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < word.length;) {
    const end = characterBoundary(word, at + max);
    pieces.push(word.slice(at, end));
    at = end;
  }
  return pieces;
}

/** Neighbours put together as long as they are not longer than `max` tokens. */
function joinShort(pieces: string[], max: number): string[] {
  const gathered: string[] = [];
  let current = "";
  let tokens = 0;
  for (const piece of pieces) {
    const more = estimateTokens(piece);
    if (current !== "" && tokens + more > max) {
      gathered.push(current);
      [current, tokens] = ["", 0];
    }
    current += piece;
    tokens += more;
  }
  if (current !== "") gathered.push(current);
  return gathered.map((piece) => piece.trim()).filter((piece) => piece !== "");
}

function splitWindows(text: string): string[] {
  const windows: string[] = [];
  for (let at = 0; at < text.length;) {
    const end = windowEnd(text, at);
    windows.push(text.slice(at, end));
    at = end;
  }
  return windows;
}

/** After a blank, where there is one. */
function windowEnd(text: string, at: number): number {
  const limit = at + SEGMENT_WINDOW;
  if (limit >= text.length) return text.length;
  const blank = text.lastIndexOf(" ", limit);
  return blank > at ? blank + 1 : characterBoundary(text, limit);
}

/** `at`, or one further where that would cut a surrogate pair. */
function characterBoundary(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? at + 1 : at;
}
