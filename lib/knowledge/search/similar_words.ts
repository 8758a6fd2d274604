/** Letters by script, as they are without diacritics. */
const ALPHABETS = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзиклмнопрстуфхцчшщъыьэюяєіґђјљњћџ",
  "αβγδεζηθικλμνξοπρσςτυφχψω",
  "ابتثجحخدذرزسشصضطظعغفقكلمنهويىةءآأإؤئ",
  "אבגדהוזחטיךכלםמןנסעףפץצקרשת",
].map((letters) => [...letters]);

const MIN_LENGTH = 5;
/** Longer words have too many neighbours to look up. */
const MAX_LENGTH = 24;

/**
 * All words that differ from `word` by one typing error: two neighbouring letters swapped, a letter
 * missing, added or replaced. Likelier errors first. None for short words, for words with digits, which
 * are codes, and for scripts without an alphabet.
 */
export function* similarWords(word: string): Generator<string> {
  if (word.length < MIN_LENGTH || word.length > MAX_LENGTH) return;
  const alphabet = ALPHABETS.find((letters) => [...word].every((one) => letters.includes(one)));
  if (alphabet === undefined) return;
  for (let at = 1; at < word.length; at++) {
    yield word.slice(0, at - 1) + word[at] + word[at - 1] + word.slice(at + 1);
  }
  // The first letter is rarely wrong.
  for (let at = word.length - 1; at >= 0; at--) yield word.slice(0, at) + word.slice(at + 1);
  for (let at = word.length; at >= 0; at--) {
    for (const letter of alphabet) yield word.slice(0, at) + letter + word.slice(at);
  }
  for (let at = word.length - 1; at >= 0; at--) {
    for (const letter of alphabet) yield word.slice(0, at) + letter + word.slice(at + 1);
  }
}
