/**
 * The texts of the closed widget in twelve languages: one line per language, the first strings of
 * string_ids.ts. Short and calm. Imported last and by main.ts only, with similar languages next to
 * each other, where they compress best.
 */
export const LAUNCHER_LANGUAGES: Readonly<Record<string, string>> = {
  en: "Open chat|Close chat|Write a message|Try again|The chat is not available right now.",
  nl: "Chat openen|Chat sluiten|Schrijf een bericht|Opnieuw proberen|De chat is niet beschikbaar.",
  de:
    "Chat öffnen|Chat schließen|Nachricht schreiben|Erneut versuchen|Der Chat ist nicht verfügbar.",
  fr: "Ouvrir le chat|Fermer le chat|Écrire un message|Réessayer|Le chat n’est pas disponible.",
  es: "Abrir el chat|Cerrar el chat|Escribir un mensaje|Reintentar|El chat no está disponible.",
  pt:
    "Abrir o chat|Fechar o chat|Escrever uma mensagem|Tentar novamente|O chat não está disponível.",
  it: "Apri la chat|Chiudi la chat|Scrivi un messaggio|Riprova|La chat non è disponibile.",
  pl: "Otwórz czat|Zamknij czat|Napisz wiadomość|Spróbuj ponownie|Czat jest niedostępny.",
  tr: "Sohbeti aç|Sohbeti kapat|Mesaj yazın|Tekrar dene|Sohbet kullanılamıyor.",
  ja: "チャットを開く|閉じる|メッセージを入力|再試行|現在利用できません。",
  zh: "打开聊天|关闭聊天|输入消息|重试|聊天暂时不可用。",
  ar: "فتح الدردشة|إغلاق الدردشة|اكتب رسالة|إعادة المحاولة|غير متاحة حاليًا.",
};
