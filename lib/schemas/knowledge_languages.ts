/** The languages with stemming in search, as ISO 639-1 codes. */
export const KNOWLEDGE_LANGUAGES = [
  ...["ar", "bg", "da", "de", "el", "en", "es", "fi", "fr", "hi", "hu", "id", "it"],
  ...["lt", "ne", "nl", "no", "pl", "pt", "ro", "ru", "sr", "sv", "ta", "tr", "uk"],
] as const;
export type KnowledgeLanguage = typeof KNOWLEDGE_LANGUAGES[number];

export function isKnowledgeLanguage(code: string): code is KnowledgeLanguage {
  return KNOWLEDGE_LANGUAGES.some((known) => known === code);
}
