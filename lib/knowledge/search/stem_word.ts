import type { KnowledgeLanguage } from "../../schemas/knowledge_languages.ts";

type Replacement = readonly [pattern: RegExp, replacement: string];

/** More change next to nothing. */
const ROUNDS = 2;

/** Plurals that no rule makes, and that the stemmers leave as they are. */
const IRREGULAR: Partial<Record<KnowledgeLanguage, Readonly<Record<string, string>>>> = {
  en: {
    calves: "calf",
    children: "child",
    feet: "foot",
    geese: "goose",
    halves: "half",
    hooves: "hoof",
    knives: "knife",
    loaves: "loaf",
    men: "man",
    mice: "mouse",
    scarves: "scarf",
    shelves: "shelf",
    teeth: "tooth",
    thieves: "thief",
    wives: "wife",
    wolves: "wolf",
    women: "woman",
  },
  nl: {
    bladeren: "blad",
    eieren: "ei",
    goederen: "goed",
    kalveren: "kalf",
    kinderen: "kind",
    lammeren: "lam",
    liederen: "lied",
    raderen: "rad",
    runderen: "rund",
    volkeren: "volk",
  },
};

/** Spellings that mean the same letter, before stemming. */
const SPELLINGS: Partial<Record<KnowledgeLanguage, readonly Replacement[]>> = {
  // As Snowball's variant for words without umlauts: "schluessel".
  de: [[/ae/g, "ä"], [/oe/g, "ö"], [/(?<!q)ue/g, "ü"]],
};

/** A vowel that falls out before an ending: Swedish "nyckel" and "nycklar". */
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
 * A word without its endings, by the rules of a language. The stemmer's own rules are applied twice:
 * once leaves Dutch "fietsen" (fiets) and "fiets" (fiet) apart, or Turkish "ekranlar" and "ekran".
 */
export function stemWord(
  word: string,
  { code, stem }: { code: KnowledgeLanguage; stem: (word: string) => string },
): string {
  let stemmed = IRREGULAR[code]?.[word] ?? applyReplacements(word, SPELLINGS[code]);
  for (let round = 0; round < ROUNDS; round++) stemmed = stemOnce(stemmed, stem);
  return applyReplacements(stemmed, ENDINGS[code]);
}

/** The Bulgarian stemmer throws for one word in ten, and others leave nothing of some words. */
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
