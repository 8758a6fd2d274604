const BEYOND_ASCII = /[^\p{ASCII}]/u;
/** Accents of Latin, Greek and Cyrillic, and optional vowel signs of Arabic and Hebrew. */
const DIACRITICS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652]/g;

/** Letters that do not decompose, and that people replace when typing. */
const LETTER_REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ı: "i",
  ς: "σ",
};
const SPECIAL = new RegExp(`[${Object.keys(LETTER_REPLACEMENTS).join("")}]`, "g");

export function foldDiacritics(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word;
  const bare = word.normalize("NFD").replace(DIACRITICS, "").normalize("NFC");
  return bare.replace(SPECIAL, (letter) => LETTER_REPLACEMENTS[letter]!);
}
