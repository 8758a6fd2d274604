/** Invisible: joiners, soft hyphens, variation selectors, directions. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
/** Marks that decorate letters and digits. Vowel signs of other scripts are letters here. */
const DECORATION =
  /[\u0300-\u036f\u0483-\u0489\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]/u;
const DECOMPOSED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u;
const DASH = /[\p{Pd}\u2212]/u;
const SPACE = /\p{Zs}/u;
const DIGIT = /\p{Nd}/u;
/** What `toLowerCase` leaves apart although case folding does not. */
const FOLDINGS: Readonly<Record<string, string>> = { "ß": "ss", "ı": "i", "ς": "σ", "ſ": "s" };
/** Emphasis of Markdown, which a reader does not see. */
const EMPHASIS: ReadonlySet<number> = new Set(Array.from("*`~", (char) => char.charCodeAt(0)));
const MAX_CACHED = 20_000;

/** What a character means to a rule. */
export interface FoldedCharacter {
  /** Code points that stand for it; several for a ligature, none for what is not seen. */
  codes: readonly number[];
  /** Combining marks on the last of them, as one number; 0 without any. */
  accent: number;
  /** It belongs to the character before it: a mark, or something invisible. */
  attached: boolean;
}

const ASCII: readonly FoldedCharacter[] = Array.from({ length: 128 }, (_, code) => ({
  codes: EMPHASIS.has(code) ? [] : [lowerAscii(code)],
  accent: 0,
  attached: false,
}));
const cache = new Map<number, FoldedCharacter>();

/**
 * Folds case, compatibility forms (full width, ligatures, digits of other scripts), dashes and spaces,
 * as NFKC with case folding does, and separates the marks of Latin, Greek and Cyrillic letters.
 */
export function foldCharacter(code: number): FoldedCharacter {
  if (code < 128) return ASCII[code]!;
  const known = cache.get(code);
  if (known !== undefined) return known;
  const folded = fold(code);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(code, folded);
  return folded;
}

/** Adds a mark to the marks before it. */
export function addAccent(accent: number, mark: number): number {
  return (accent * 31 + mark) % 0x10_0000;
}

function fold(code: number): FoldedCharacter {
  const char = String.fromCodePoint(code);
  if (INVISIBLE.test(char)) return { codes: [], accent: 0, attached: true };
  const decomposed = char.normalize("NFKD");
  const text = DECOMPOSED.test(decomposed) ? decomposed : char.normalize("NFKC");
  const codes: number[] = [];
  let accent = 0;
  for (const one of text.toLowerCase()) {
    if (DECORATION.test(one)) accent = addAccent(accent, one.codePointAt(0)!);
    else for (const folded of FOLDINGS[one] ?? one) codes.push(foldOne(folded));
  }
  return { codes, accent, attached: codes.length === 0 };
}

function foldOne(char: string): number {
  const code = char.codePointAt(0)!;
  if (code < 128) return code;
  if (DIGIT.test(char)) return 48 + digitValue(code);
  if (DASH.test(char)) return 45;
  return SPACE.test(char) ? 32 : code;
}

/** Digits of a script are ten in a row. */
function digitValue(code: number): number {
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

function lowerAscii(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}
