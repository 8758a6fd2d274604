import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";

/** Languages that write compounds as one word. */
const COMPOUNDING: ReadonlySet<KnowledgeLanguage> = new Set(["de", "nl", "sv", "da", "no"]);

/** Letters of the beginning and of the end of a word that it is found by. */
const KEY_LENGTH = 4;
/** The shortest other part of a compound. */
const MIN_REST = 3;
/** The most compounds of one part. */
const MAX_COMPOUNDS = 64;
/** The most words with the same beginning or end that one look-up reads. */
const MAX_READ = 2_000;
/** About the memory of a word in both maps. */
const BYTES_PER_WORD = 120;

export function hasCompounds({ code }: { code: KnowledgeLanguage }): boolean {
  return COMPOUNDING.has(code);
}

/**
 * Stems by their beginnings and ends, to find compounds by a part of them. As stems, because the end of a
 * compound is inflected: `angebot` is the end of `sonderangebot`, but not of "Sonderangebote".
 */
export class CompoundIndex {
  readonly #words = new Set<string>();
  readonly #byStart = new Map<string, string[]>();
  readonly #byEnd = new Map<string, string[]>();

  get bytes(): number {
    return this.#words.size * BYTES_PER_WORD;
  }

  add(word: string): void {
    if (word.length < KEY_LENGTH + MIN_REST || this.#words.has(word)) return;
    this.#words.add(word);
    addTo(this.#byStart, word.slice(0, KEY_LENGTH), word);
    addTo(this.#byEnd, word.slice(-KEY_LENGTH), word);
  }

  /** Compounds that begin or end with `part`, the shortest first. */
  find(part: string): string[] {
    if (part.length < KEY_LENGTH) return [];
    const min = part.length + MIN_REST;
    const starts = listed(this.#byStart, part.slice(0, KEY_LENGTH))
      .filter((word) => word.length >= min && word.startsWith(part));
    const ends = listed(this.#byEnd, part.slice(-KEY_LENGTH))
      .filter((word) => word.length >= min && word.endsWith(part));
    return [...new Set([...starts, ...ends])]
      .sort((a, b) => a.length - b.length)
      .slice(0, MAX_COMPOUNDS);
  }
}

function listed(lists: ReadonlyMap<string, readonly string[]>, key: string): readonly string[] {
  return lists.get(key)?.slice(0, MAX_READ) ?? [];
}

function addTo(lists: Map<string, string[]>, key: string, word: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [word]);
  else list.push(word);
}
