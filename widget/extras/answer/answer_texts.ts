import type { Languages } from "../../locales.ts";

/** The texts around answers. Short and calm; strings in the order of answer_ids.ts. */
export const ANSWER_TEXTS: Languages = {
  en: "Sources|Messages left|Copy conversation|You|Suggested questions",
  nl: "Bronnen|Berichten over|Chat kopiëren|U|Voorgestelde vragen",
  de: "Quellen|Nachrichten übrig|Chat kopieren|Sie|Vorgeschlagene Fragen",
  fr: "Sources|Messages restants|Copier le chat|Vous|Questions suggérées",
  es: "Fuentes|Mensajes restantes|Copiar el chat|Usted|Preguntas sugeridas",
  pt: "Fontes|Mensagens restantes|Copiar o chat|Você|Perguntas sugeridas",
  it: "Fonti|Messaggi rimasti|Copia la chat|Tu|Domande suggerite",
  pl: "Źródła|Pozostałe wiadomości|Kopiuj czat|Ty|Proponowane pytania",
  tr: "Kaynaklar|Kalan mesaj|Sohbeti kopyala|Siz|Önerilen sorular",
  ja: "出典|残り|会話をコピー|あなた|質問の候補",
  zh: "来源|剩余消息|复制聊天|您|推荐问题",
  ar: "المصادر|الرسائل المتبقية|نسخ الدردشة|أنت|أسئلة مقترحة",
};
