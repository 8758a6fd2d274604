/** Languages of the widget's own texts, by primary tag. Source: `widget/languages.ts`. */
export const WIDGET_LANGUAGES = [
  "en",
  "de",
  "fr",
  "es",
  "pt",
  "it",
  "nl",
  "pl",
  "tr",
  "ar",
  "ja",
  "zh",
] as const;
