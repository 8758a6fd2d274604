/** The languages whose inflected forms search knows, as ISO 639-1 codes. */
export const KNOWLEDGE_LANGUAGES = [
  "ar",
  "bg",
  "da",
  "de",
  "el",
  "en",
  "es",
  "fi",
  "fr",
  "hi",
  "hu",
  "id",
  "it",
  "lt",
  "ne",
  "nl",
  "no",
  "pt",
  "ro",
  "ru",
  "sr",
  "sv",
  "ta",
  "tr",
  "uk",
] as const;

export type KnowledgeLanguage = typeof KNOWLEDGE_LANGUAGES[number];

export const LANGUAGE_NAMES: Readonly<Record<KnowledgeLanguage, string>> = {
  ar: "Arabic",
  bg: "Bulgarian",
  da: "Danish",
  de: "German",
  el: "Greek",
  en: "English",
  es: "Spanish",
  fi: "Finnish",
  fr: "French",
  hi: "Hindi",
  hu: "Hungarian",
  id: "Indonesian",
  it: "Italian",
  lt: "Lithuanian",
  ne: "Nepali",
  nl: "Dutch",
  no: "Norwegian",
  pt: "Portuguese",
  ro: "Romanian",
  ru: "Russian",
  sr: "Serbian",
  sv: "Swedish",
  ta: "Tamil",
  tr: "Turkish",
  uk: "Ukrainian",
};

export function isKnowledgeLanguage(code: string): code is KnowledgeLanguage {
  return Object.hasOwn(LANGUAGE_NAMES, code);
}
