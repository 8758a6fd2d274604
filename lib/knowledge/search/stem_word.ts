import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";

type Replacement = readonly [pattern: RegExp, replacement: string];

/** More rounds change almost nothing. */
const ROUNDS = 2;

/** Irregular plurals, which the stemmers do not know. */
const IRREGULAR: Partial<Record<KnowledgeLanguage, ReadonlyMap<string, string>>> = {
  en: toMap(
    "calves:calf children:child feet:foot geese:goose halves:half hooves:hoof " +
      "knives:knife loaves:loaf men:man mice:mouse scarves:scarf shelves:shelf " +
      "teeth:tooth thieves:thief wives:wife wolves:wolf women:woman",
  ),
  nl: toMap(
    "bladeren:blad eieren:ei goederen:goed kalveren:kalf kinderen:kind lammeren:lam " +
      "liederen:lied raderen:rad runderen:rund volkeren:volk",
  ),
};

/** Alternative spellings of a letter, replaced before stemming. */
const SPELLINGS: Partial<Record<KnowledgeLanguage, readonly Replacement[]>> = {
  // As in Snowball's variant for words without umlauts: "schluessel".
  de: [[/ae/g, "ä"], [/oe/g, "ö"], [/(?<!q)ue/g, "ü"]],
};

/** A vowel that is dropped before an ending: Swedish "nyckel" and "nycklar". */
const ELIDED_VOWEL: Replacement = [/(?<=[^aeiouyäöåæø])e(?=[lnr]$)/, ""];
/** What the stemmers leave of regular plurals. */
const ENDINGS: Partial<Record<KnowledgeLanguage, readonly Replacement[]>> = {
  da: [ELIDED_VOWEL],
  // "bonnen" and "bon".
  nl: [[/([bdfgklmnprst])\1$/, "$1"]],
  no: [ELIDED_VOWEL],
  // "cartões" and "cartão".
  pt: [[/õ$/, "ã"]],
  sv: [ELIDED_VOWEL],
};

/**
 * Stems a word twice: once would leave Dutch "fietsen" (fiets) and "fiets" (fiet) or Turkish "ekranlar"
 * and "ekran" apart.
 */
export function stemWord(
  word: string,
  { code, stem }: { code: KnowledgeLanguage; stem: (word: string) => string },
): string {
  let stemmed = IRREGULAR[code]?.get(word) ?? applyReplacements(word, SPELLINGS[code]);
  for (let round = 0; round < ROUNDS; round++) stemmed = stemOnce(stemmed, stem);
  return applyReplacements(stemmed, ENDINGS[code]);
}

/** The Bulgarian stemmer throws for one word in ten, and others return nothing for some words. */
function stemOnce(word: string, stem: (word: string) => string): string {
  try {
    return stem(word) || word;
  } catch {
    return word;
  }
}

function applyReplacements(word: string, rewrites: readonly Replacement[] = []): string {
  return rewrites.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    word,
  );
}

function toMap(pairs: string): ReadonlyMap<string, string> {
  return new Map(pairs.split(" ").map((pair) => pair.split(":") as [string, string]));
}
