import { addAccent, foldCharacter } from "./fold_character.ts";

/** What `at` and `before` return outside the text. */
export const NO_CODE = -1;
/** Code points before the position that rules may look at. */
const CONTEXT = 4;
const BACKSLASH = 92;
const TRIM_FROM = 2_048;

/**
 * A text that arrives in parts, as the code points that rules compare, each with its place in the
 * original. Rules read it with `at`; one that reads past the end of an unfinished text sets `starved`, and
 * its result does not count until more has arrived. Its decisions are therefore the same for every way to
 * split the text.
 */
export class FoldedText {
  /** A rule has read beyond what has arrived. */
  starved = false;
  #codes: number[] = [];
  #accents: number[] = [];
  /** Offsets of the original character: its start, and its end with what is attached to it. */
  #starts: number[] = [];
  #ends: number[] = [];
  #length = 0;
  #highSurrogate = "";
  /** A backslash whose meaning depends on the next character. */
  #backslash = false;
  #ended = false;

  /** Code points so far. */
  get length(): number {
    return this.#codes.length;
  }

  /** Adds a part; returns the part of the original that can be shown once it is decided. */
  push(part: string): string {
    const text = this.#highSurrogate + part;
    const isSplit = isHighSurrogate(text.charCodeAt(text.length - 1));
    this.#highSurrogate = isSplit ? text.slice(-1) : "";
    const whole = isSplit ? text.slice(0, -1) : text;
    for (let i = 0; i < whole.length;) {
      const code = whole.codePointAt(i)!;
      const width = code > 0xffff ? 2 : 1;
      this.#add(code, width);
      i += width;
    }
    return whole;
  }

  /** No more follows; returns what `push` has withheld of the original: half of a split character. */
  end(): string {
    this.#ended = true;
    this.#endBackslash();
    const rest = this.#highSurrogate;
    this.#highSurrogate = "";
    this.#length += rest.length;
    return rest;
  }

  /** The text continues after an `end`, with the next step of a run. */
  reopen(): void {
    this.#ended = false;
  }

  at(i: number): number {
    if (i < this.#codes.length) return this.#codes[i]!;
    if (!this.#ended) this.starved = true;
    return NO_CODE;
  }

  before(i: number): number {
    return i > 0 ? this.#codes[i - 1]! : NO_CODE;
  }

  /** The marks of a letter. Those of the last one may still follow. */
  accentAt(i: number): number {
    if (i === this.#codes.length - 1 && !this.#ended) this.starved = true;
    return this.#accents[i] ?? 0;
  }

  /** Where the original of a code point starts; the end of the text for the next one. */
  startOf(i: number): number {
    return this.#starts[i] ?? this.#length;
  }

  endOf(i: number): number {
    return this.#ends[i]!;
  }

  /** Forgets code points before `i` but for a context; returns by how many positions moved. */
  trim(i: number): number {
    const gone = i - CONTEXT;
    if (gone < TRIM_FROM) return 0;
    for (const list of [this.#codes, this.#accents, this.#starts, this.#ends]) list.splice(0, gone);
    return gone;
  }

  #add(code: number, width: number): void {
    if (this.#backslash && isPunctuation(code)) this.#backslash = false;
    this.#endBackslash();
    if (code === BACKSLASH) {
      this.#backslash = true;
      this.#length += width;
      return;
    }
    const start = this.#length;
    const end = this.#length += width;
    const { codes, accent, attached } = foldCharacter(code);
    const last = this.#codes.length - 1;
    if (attached) {
      // Emphasis in between would be swallowed with the mark.
      if (last >= 0 && this.#ends[last] === start) this.#ends[last] = end;
      if (last >= 0 && accent !== 0) this.#accents[last] = addAccent(this.#accents[last]!, accent);
      return;
    }
    for (const [n, one] of codes.entries()) {
      this.#append(one, { accent: n === codes.length - 1 ? accent : 0, start, end });
    }
  }

  /** It was none of Markdown's escapes, which a reader does not see. */
  #endBackslash(): void {
    if (!this.#backslash) return;
    this.#backslash = false;
    this.#append(BACKSLASH, { accent: 0, start: this.#length - 1, end: this.#length });
  }

  #append(code: number, place: { accent: number; start: number; end: number }): void {
    this.#codes.push(code);
    this.#accents.push(place.accent);
    this.#starts.push(place.start);
    this.#ends.push(place.end);
  }
}

/** ASCII punctuation, which a backslash escapes. */
function isPunctuation(code: number): boolean {
  return code > 32 && code < 127 && !(code >= 48 && code <= 57) &&
    !(code >= 65 && code <= 90) && !(code >= 97 && code <= 122);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
