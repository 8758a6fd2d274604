import type { Passage } from "../passage.ts";
import { estimateTokens, splitSentences } from "./split_text.ts";

interface Fragment {
  path: string[];
  text: string;
  /** Between it and the fragment before. */
  separator: string;
  /** A table's header, repeated at the start of a passage that begins with this fragment. */
  repeat: string | undefined;
}

/** Includes headings within the text. */
const MAX_TOKENS = 500;
/** A passage this long ends with its block. */
const BLOCK_END_TOKENS = 400;
/** A passage this long ends with its section; shorter sections share one. */
const SECTION_END_TOKENS = 200;
const MAX_OVERLAP_TOKENS = 50;

export class PassagePacker {
  #fragments: Fragment[] = [];
  #tokens = 0;
  /** Whether any fragment is not a repetition. */
  #hasNewText = false;

  *add(fragment: Fragment): Generator<Passage> {
    if (!this.#fits(fragment)) {
      yield* this.#flushWithOverlap(fragment);
      if (!this.#fits(fragment)) this.#clear();
    }
    this.#push(fragment);
    this.#hasNewText = true;
  }

  /** Call it after the last fragment of a paragraph, list, table or code block. */
  *endBlock(): Generator<Passage> {
    if (this.#tokens < BLOCK_END_TOKENS) return;
    yield* this.#flushWithOverlap({ ...this.#fragments.at(-1)!, repeat: undefined });
  }

  /** Call it for each heading. Sections do not overlap, because their topics differ. */
  *startSection(): Generator<Passage> {
    if (this.#tokens >= SECTION_END_TOKENS || !this.#hasNewText) yield* this.flush();
  }

  *flush(): Generator<Passage> {
    if (this.#hasNewText) yield toPassage(this.#fragments);
    this.#clear();
  }

  *#flushWithOverlap(next: Fragment): Generator<Passage> {
    const overlap = this.#overlap(next);
    yield* this.flush();
    if (overlap !== undefined) this.#push(overlap);
  }

  #clear(): void {
    this.#fragments = [];
    this.#tokens = 0;
    this.#hasNewText = false;
  }

  #push(fragment: Fragment): void {
    this.#tokens += this.#costOf(fragment);
    this.#fragments.push(fragment);
  }

  #fits(fragment: Fragment): boolean {
    return this.#tokens + this.#costOf(fragment) <= MAX_TOKENS;
  }

  /** Includes the headings that the passage must then name in its text. */
  #costOf({ path, text }: Fragment): number {
    const last = this.#fragments.at(-1);
    const changed = last !== undefined && !samePath(last, { path });
    const headings = changed ? [...last.path, ...path].join("\n") : "";
    return estimateTokens(text) + 1 + estimateTokens(headings);
  }

  /** What to repeat before `next`: its table's header, else the last sentences. */
  #overlap(next: Fragment): Fragment | undefined {
    if (next.repeat !== undefined) return { ...next, text: next.repeat, repeat: undefined };
    const last = this.#fragments.at(-1);
    if (last === undefined || !samePath(last, next)) return undefined;
    const text = trailingSentences(last.text);
    return text === "" ? undefined : { ...last, text, repeat: undefined };
  }
}

function samePath(a: Pick<Fragment, "path">, b: Pick<Fragment, "path">): boolean {
  return a.path.join("\n") === b.path.join("\n");
}

function trailingSentences(text: string): string {
  const sentences = splitSentences(text);
  let from = sentences.length;
  let tokens = 0;
  while (from > 0) {
    tokens += estimateTokens(sentences[from - 1]!);
    if (tokens > MAX_OVERLAP_TOKENS) break;
    from--;
  }
  return sentences.slice(from).join("").trim();
}

/** The headings that all fragments share become its path, all others lines of its text. */
function toPassage(fragments: readonly Fragment[]): Passage {
  const headingPath = fragments.map(({ path }) => path)
    .reduce((shared, path) => shared.slice(0, commonLength(shared, path)));
  let text = "";
  let above = headingPath;
  for (const fragment of fragments) {
    const headings = fragment.path.slice(commonLength(above, fragment.path));
    if (headings.length > 0 || fragment.path.length < above.length) {
      text += `${text && "\n\n"}${headings.join("\n")}`;
    }
    text += `${text && (headings.length > 0 ? "\n" : fragment.separator)}${fragment.text}`;
    above = fragment.path;
  }
  return { headingPath, text, tokens: estimateTokens(text) };
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
