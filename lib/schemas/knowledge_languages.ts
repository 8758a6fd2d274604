/** The languages with stemming in search, by ISO 639-1 code. */
export const LANGUAGE_NAMES = {
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
} as const;

export type KnowledgeLanguage = keyof typeof LANGUAGE_NAMES;
export const KNOWLEDGE_LANGUAGES = Object.keys(LANGUAGE_NAMES) as [
  KnowledgeLanguage,
  ...KnowledgeLanguage[],
];

export function isKnowledgeLanguage(code: string): code is KnowledgeLanguage {
  return Object.hasOwn(LANGUAGE_NAMES, code);
}
