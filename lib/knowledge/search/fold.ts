const BEYOND_ASCII = /[^\p{ASCII}]/u;
/** Accents of Latin, Greek and Cyrillic; vowel signs of Arabic and Hebrew, which few write. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652]/g;

/** Letters that are no letter with a mark, and are typed as others all the same. */
const LETTERS: Readonly<Record<string, string>> = {
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
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");

/** A lower-case word as somebody types it who leaves out the marks. */
export function fold(word: string): string {
  if (!BEYOND_ASCII.test(word)) return word;
  const bare = word.normalize("NFD").replace(MARKS, "").normalize("NFC");
  return bare.replace(SPECIAL, (letter) => LETTERS[letter]!);
}
