/** The part of `@nlpjs/lang-pl` that is used. */
export default class StemmerPl {
  stem(words: readonly string[]): string[];
}
