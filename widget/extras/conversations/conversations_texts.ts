import type { Languages } from "../../locales.ts";

/** The visitor's earlier conversations. Short and calm; strings in the order of conversations_ids.ts. */
export const CONVERSATIONS_TEXTS: Languages = {
  en: "Earlier conversations|Edit|Rename|Delete|Really delete?",
  nl: "Eerdere chats|Bewerken|Naam wijzigen|Verwijderen|Echt verwijderen?",
  de: "Frühere Chats|Bearbeiten|Umbenennen|Löschen|Wirklich löschen?",
  fr: "Chats précédents|Modifier|Renommer|Supprimer|Vraiment supprimer ?",
  es: "Chats anteriores|Editar|Cambiar nombre|Eliminar|¿Eliminar de verdad?",
  pt: "Chats anteriores|Editar|Mudar o nome|Excluir|Excluir mesmo?",
  it: "Chat precedenti|Modifica|Rinomina|Elimina|Eliminare davvero?",
  pl: "Wcześniejsze czaty|Edytuj|Zmień nazwę|Usuń|Na pewno usunąć?",
  tr: "Önceki sohbetler|Düzenle|Yeniden adlandır|Sil|Gerçekten silinsin mi?",
  ja: "以前の会話|編集|名前を変更|削除|本当に削除しますか？",
  zh: "以前的聊天|编辑|重命名|删除|确定删除？",
  ar: "الدردشات السابقة|تعديل|إعادة التسمية|حذف|هل تريد الحذف حقًا؟",
};
