import type { Languages } from "../../locales.ts";

/** The texts of the menu. Short and calm; strings in the order of menu_ids.ts. */
export const MENU_TEXTS: Languages = {
  en: "Close",
  nl: "Sluiten",
  de: "Schließen",
  fr: "Fermer",
  es: "Cerrar",
  pt: "Fechar",
  it: "Chiudi",
  pl: "Zamknij",
  tr: "Kapat",
  ja: "閉じる",
  zh: "关闭",
  ar: "إغلاق",
};
