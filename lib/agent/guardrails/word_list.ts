import { isWordEnd, isWordStart } from "./word_boundary.ts";
import { FoldedText, NO_CODE } from "./folded_text.ts";

/** Stands for what separates the words of a phrase. */
const GAP = 32;
/** Characters that may separate them in a text. */
const MAX_GAP_LENGTH = 8;
/** Letters that look like a Latin one: Cyrillic and Greek, each above its Latin letter. */
const FOREIGN_LETTERS = "аеорсухіјѕһԁԛԝкмтвн" + "αεηικνορτυχωγ";
const LATIN_LETTERS = "aeopcyxijshdqwkmtbh" + "aenikvoptuxwy";
const LOOKALIKES: ReadonlyMap<number, number> = new Map(
  Array.from(FOREIGN_LETTERS, (char, n) => [char.codePointAt(0)!, LATIN_LETTERS.charCodeAt(n)]),
);

interface TrieNode {
  next: Map<number, TrieNode>;
  /** Words with marks only: the same letters without them. */
  bare: Set<number>;
  isEnd: boolean;
}

/**
 * Words and phrases to find. A word without accents is also found with them; one with accents only as it
 * is. Each position is compared with one path of each tree, so the time does not depend on the number of
 * words.
 */
export class WordList {
  readonly #plain = createNode();
  readonly #accented = createNode();

  constructor(words: readonly string[]) {
    for (const word of words) this.#add(word);
  }

  /** The end of the longest word that starts at `i`; -1 if none does. */
  find(text: FoldedText, i: number): number {
    const first = text.at(i);
    if (first === NO_CODE || !isWordStart(text.before(i), first)) return -1;
    const plain = walk(this.#plain, { text, i, keyOf: skeleton });
    if (this.#accented.next.size === 0) return plain;
    return Math.max(plain, walk(this.#accented, { text, i, keyOf: accentedKey(text) }));
  }

  #add(word: string): void {
    const text = new FoldedText();
    text.push(word);
    text.end();
    const codes = Array.from({ length: text.length }, (_, i) => text.at(i));
    const hasAccents = codes.some((_, i) => text.accentAt(i) !== 0);
    let node = hasAccents ? this.#accented : this.#plain;
    codes.forEach((code, i) => {
      const isGap = isPhraseGap(code);
      if (isGap && (i === 0 || i === codes.length - 1 || isPhraseGap(codes[i - 1]!))) return;
      const letter = isGap ? GAP : skeleton(code);
      node.bare.add(letter);
      const key = hasAccents && !isGap ? withAccent(letter, text.accentAt(i)) : letter;
      const next = node.next.get(key) ?? createNode();
      node.next.set(key, next);
      node = next;
    });
    node.isEnd = true;
  }
}

function createNode(): TrieNode {
  return { next: new Map(), bare: new Set(), isEnd: false };
}

interface Walk {
  text: FoldedText;
  i: number;
  keyOf: (code: number, i: number) => number;
}

function walk(root: TrieNode, { text, i, keyOf }: Walk): number {
  let node: TrieNode | undefined = root;
  let found = -1;
  for (let j = i; node !== undefined && node.next.size > 0;) {
    const code = text.at(j);
    const gap = node.next.get(GAP);
    if (gap !== undefined && isGap(code)) {
      const end = gapEnd(text, j);
      if (end - j > MAX_GAP_LENGTH) return found;
      [node, j] = [gap, end];
      continue;
    }
    if (code === NO_CODE || !node.bare.has(skeleton(code))) return found;
    node = node.next.get(keyOf(code, j));
    j++;
    if (node?.isEnd && isWordEnd(code, text.at(j))) found = j;
  }
  return found;
}

function gapEnd(text: FoldedText, start: number): number {
  let end = start;
  while (end - start <= MAX_GAP_LENGTH && isGap(text.at(end))) end++;
  return end;
}

function skeleton(code: number): number {
  return code < 128 ? code : LOOKALIKES.get(code) ?? code;
}

function accentedKey(text: FoldedText): Walk["keyOf"] {
  return (code, i) => withAccent(skeleton(code), text.accentAt(i));
}

function withAccent(code: number, accent: number): number {
  return code + accent * 0x11_0000;
}

/** In a phrase of the list: white space, a hyphen or an underscore. */
function isPhraseGap(code: number): boolean {
  return code === 32 || code === 45 || code === 95 || (code >= 9 && code <= 13);
}

/** In a text, also a dot or a comma. */
function isGap(code: number): boolean {
  return isPhraseGap(code) || code === 46 || code === 44;
}
