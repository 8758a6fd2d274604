import type { Languages } from "../../locales.ts";

/** What an agent remembers of the visitor. Short and calm; strings in the order of memory_ids.ts. */
export const MEMORY_TEXTS: Languages = {
  en: "What I remember|Nothing yet.|Delete all",
  nl: "Wat ik onthoud|Nog niets.|Alles verwijderen",
  de: "Was ich mir merke|Noch nichts.|Alles löschen",
  fr: "Ce que je retiens|Rien pour l’instant.|Tout supprimer",
  es: "Lo que recuerdo|Nada todavía.|Eliminar todo",
  pt: "O que eu lembro|Nada ainda.|Excluir tudo",
  it: "Cosa ricordo|Ancora niente.|Elimina tutto",
  pl: "Co pamiętam|Na razie nic.|Usuń wszystko",
  tr: "Hatırladıklarım|Henüz bir şey yok.|Tümünü sil",
  ja: "覚えていること|まだありません。|すべて削除",
  zh: "我记住的内容|还没有内容。|全部删除",
  ar: "ما أتذكره|لا شيء بعد.|حذف الكل",
};
