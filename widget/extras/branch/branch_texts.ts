import type { Languages } from "../../locales.ts";

/** The texts of asking again. Short and calm; strings in the order of branch_ids.ts. */
export const BRANCH_TEXTS: Languages = {
  en: "Ask again|Edit message|Save|Cancel|A new answer follows.",
  nl: "Opnieuw vragen|Bericht bewerken|Opslaan|Annuleren|Er volgt een nieuw antwoord.",
  de: "Erneut fragen|Nachricht bearbeiten|Speichern|Abbrechen|Eine neue Antwort folgt.",
  fr: "Redemander|Modifier le message|Enregistrer|Annuler|Une nouvelle réponse arrive.",
  es: "Preguntar de nuevo|Editar el mensaje|Guardar|Cancelar|Llega una nueva respuesta.",
  pt: "Perguntar de novo|Editar a mensagem|Salvar|Cancelar|Chega uma nova resposta.",
  it: "Chiedi di nuovo|Modifica il messaggio|Salva|Annulla|Arriva una nuova risposta.",
  pl: "Zapytaj ponownie|Edytuj wiadomość|Zapisz|Anuluj|Będzie nowa odpowiedź.",
  tr: "Yeniden sor|Mesajı düzenle|Kaydet|İptal|Yeni bir yanıt geliyor.",
  ja: "もう一度質問|メッセージを編集|保存|キャンセル|新しい回答が届きます。",
  zh: "重新提问|编辑消息|保存|取消|新的回答即将到来。",
  ar: "اسأل مجددًا|تعديل الرسالة|حفظ|إلغاء|ستصل إجابة جديدة.",
};
