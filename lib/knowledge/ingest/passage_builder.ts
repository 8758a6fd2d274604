import type { Passage } from "./build_passages.ts";
import { estimateTokens, splitSentences } from "./split_text.ts";

/** A piece of text with the headings it stands under. */
interface Fragment {
  path: string[];
  text: string;
  /** What is between it and the piece before. */
  separator: string;
  /** Said again at the start of a passage that begins with this piece: a table's header. */
  repeat: string | undefined;
}

/** No passage is longer, headings that stand in its text included. */
const MAX_TOKENS = 500;
/** A passage this long ends with its block. */
const BLOCK_END_TOKENS = 400;
/** A passage this long ends with its section; shorter sections share one. */
const SECTION_END_TOKENS = 200;
/** How much of the end of a passage is repeated at the start of the next. */
const OVERLAP_TOKENS = 50;

/** Puts pieces together to passages. */
export class PassageBuilder {
  #fragments: Fragment[] = [];
  #tokens = 0;
  /** Whether there is anything in it that no passage before has said. */
  #hasNewText = false;

  *add(piece: Fragment): Generator<Passage> {
    if (this.#tokens + this.#costOf(piece) > MAX_TOKENS) {
      const overlap = this.#overlap(piece);
      yield* this.flush();
      for (const repeated of overlap) this.#push(repeated);
      // Too long together with what is repeated: then nothing is.
      if (this.#tokens + this.#costOf(piece) > MAX_TOKENS) this.#clear();
    }
    this.#push(piece);
    this.#hasNewText = true;
  }

  /** A paragraph, list, table or piece of code is over. */
  *endBlock(): Generator<Passage> {
    if (this.#tokens < BLOCK_END_TOKENS) return;
    const last = this.#fragments.at(-1)!;
    const overlap = this.#overlap({ ...last, repeat: undefined });
    yield* this.flush();
    for (const repeated of overlap) this.#push(repeated);
  }

  /** A new heading begins. What it is about is another matter: nothing is repeated. */
  *startSection(): Generator<Passage> {
    if (this.#tokens >= SECTION_END_TOKENS || !this.#hasNewText) yield* this.flush();
  }

  *flush(): Generator<Passage> {
    if (this.#hasNewText) yield toPassage(this.#fragments);
    this.#clear();
  }

  #clear(): void {
    this.#fragments = [];
    this.#tokens = 0;
    this.#hasNewText = false;
  }

  #push(piece: Fragment): void {
    this.#tokens += this.#costOf(piece);
    this.#fragments.push(piece);
  }

  /** The piece with the headings that its passage must name in the text for it. */
  #costOf({ path, text }: Fragment): number {
    const before = this.#fragments.at(-1);
    const changed = before !== undefined && before.path.join("\n") !== path.join("\n");
    const headings = changed ? [...before.path, ...path].join("\n") : "";
    return estimateTokens(text) + 1 + estimateTokens(headings);
  }

  /** What is said again before `next`: a table's header, else the last sentences of what was. */
  #overlap(next: Fragment): Fragment[] {
    if (next.repeat !== undefined) {
      return [{ ...next, text: next.repeat, repeat: undefined }];
    }
    const last = this.#fragments.at(-1);
    if (last === undefined || last.path.join("\n") !== next.path.join("\n")) return [];
    const text = trailingSentences(last.text);
    return text === "" ? [] : [{ ...last, text, repeat: undefined }];
  }
}

/** The last whole sentences, together no longer than an overlap. */
function trailingSentences(text: string): string {
  const sentences = splitSentences(text);
  let from = sentences.length;
  let tokens = 0;
  while (from > 0) {
    tokens += estimateTokens(sentences[from - 1]!);
    if (tokens > OVERLAP_TOKENS) break;
    from--;
  }
  return sentences.slice(from).join("").trim();
}

/** Stands under the headings that all of its pieces share; the others are lines of its text. */
function toPassage(pieces: readonly Fragment[]): Passage {
  const headingPath = commonPath(pieces);
  let text = "";
  let above = headingPath;
  for (const piece of pieces) {
    const headings = piece.path.slice(commonLength(above, piece.path));
    if (headings.length > 0 || piece.path.length < above.length) {
      text += `${text && "\n\n"}${headings.join("\n")}`;
    }
    text += `${text && (headings.length > 0 ? "\n" : piece.separator)}${piece.text}`;
    above = piece.path;
  }
  return { headingPath, text, tokens: estimateTokens(text) };
}

function commonPath(pieces: readonly Fragment[]): string[] {
  const [first, ...rest] = pieces.map(({ path }) => path);
  if (first === undefined) return [];
  return rest.reduce((shared, path) => shared.slice(0, commonLength(shared, path)), first);
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
