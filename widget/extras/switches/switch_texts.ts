import type { Languages } from "../../locales.ts";

/** The switches in the menu. Short and calm; strings in the order of switch_ids.ts. */
export const SWITCH_TEXTS: Languages = {
  en: "Wide|Sound",
  nl: "Breed|Geluid",
  de: "Breit|Ton",
  fr: "Large|Son",
  es: "Ancho|Sonido",
  pt: "Largo|Som",
  it: "Largo|Suono",
  pl: "Szeroki widok|Dźwięk",
  tr: "Geniş|Ses",
  ja: "幅広表示|通知音",
  zh: "宽屏|提示音",
  ar: "عريض|الصوت",
};
