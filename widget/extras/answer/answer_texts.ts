import type { Languages } from "../../locales.ts";

/** The texts around answers. Short and calm; strings in the order of answer_ids.ts. */
export const ANSWER_TEXTS: Languages = {
  en: "Sources|Messages left",
  nl: "Bronnen|Berichten over",
  de: "Quellen|Nachrichten übrig",
  fr: "Sources|Messages restants",
  es: "Fuentes|Mensajes restantes",
  pt: "Fontes|Mensagens restantes",
  it: "Fonti|Messaggi rimasti",
  pl: "Źródła|Pozostałe wiadomości",
  tr: "Kaynaklar|Kalan mesaj",
  ja: "出典|残り",
  zh: "来源|剩余消息",
  ar: "المصادر|الرسائل المتبقية",
};
