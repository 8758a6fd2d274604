/**
 * The widget's texts in twelve languages: one line per language, strings in the order of
 * string_ids.ts. Short and calm, without codes or status numbers. Imported last and by main.ts only,
 * with similar languages next to each other: any other order costs up to 600 bytes more.
 */
export const LANGUAGES: Readonly<Record<string, string>> = {
  en:
    "Open chat|Close chat|New conversation|Hello. How can we help?|Write a message|Send message|Stop answering|Jump to latest|Try again|Copy|This answer is incomplete|AI assistant|Messages left|The connection was lost.|Please reload the page.|The chat is not available right now.|Something went wrong.|Sources",
  nl:
    "Chat openen|Chat sluiten|Nieuwe chat|Hallo. Hoe kunnen we helpen?|Schrijf een bericht|Verzenden|Stoppen|Naar einde|Opnieuw proberen|Kopiëren|Antwoord onvolledig|AI-assistent|Berichten over|Verbinding verbroken.|Laad de pagina opnieuw.|De chat is niet beschikbaar.|Er ging iets mis.|Bronnen",
  de:
    "Chat öffnen|Chat schließen|Neuer Chat|Hallo. Wie können wir helfen?|Nachricht schreiben|Senden|Stoppen|Zum Neuesten|Erneut versuchen|Kopieren|Antwort unvollständig|KI-Assistent|Nachrichten übrig|Verbindung verloren.|Bitte Seite neu laden.|Der Chat ist nicht verfügbar.|Etwas ist schiefgegangen.|Quellen",
  fr:
    "Ouvrir le chat|Fermer le chat|Nouveau chat|Bonjour. Comment pouvons-nous aider ?|Écrire un message|Envoyer|Arrêter|Aller à la fin|Réessayer|Copier|Réponse incomplète|Assistant IA|Messages restants|Connexion perdue.|Veuillez recharger la page.|Le chat n’est pas disponible.|Une erreur est survenue.|Sources",
  es:
    "Abrir el chat|Cerrar el chat|Nuevo chat|Hola. ¿En qué podemos ayudar?|Escribir un mensaje|Enviar|Detener|Ir al final|Reintentar|Copiar|Respuesta incompleta|Asistente de IA|Mensajes restantes|Conexión perdida.|Recargue la página.|El chat no está disponible.|Algo ha salido mal.|Fuentes",
  pt:
    "Abrir o chat|Fechar o chat|Novo chat|Olá. Como podemos ajudar?|Escrever uma mensagem|Enviar|Parar|Ir para o final|Tentar novamente|Copiar|Resposta incompleta|Assistente de IA|Mensagens restantes|Conexão perdida.|Recarregue a página.|O chat não está disponível.|Algo deu errado.|Fontes",
  it:
    "Apri la chat|Chiudi la chat|Nuova chat|Ciao. Come possiamo aiutare?|Scrivi un messaggio|Invia|Ferma|Vai alla fine|Riprova|Copia|Risposta incompleta|Assistente IA|Messaggi rimasti|Connessione persa.|Ricarica la pagina.|La chat non è disponibile.|Qualcosa è andato storto.|Fonti",
  pl:
    "Otwórz czat|Zamknij czat|Nowy czat|Witaj. Jak możemy pomóc?|Napisz wiadomość|Wyślij|Zatrzymaj|Na koniec|Spróbuj ponownie|Kopiuj|Odpowiedź niepełna|Asystent AI|Pozostałe wiadomości|Utracono połączenie.|Odśwież stronę.|Czat jest niedostępny.|Coś poszło nie tak.|Źródła",
  tr:
    "Sohbeti aç|Sohbeti kapat|Yeni sohbet|Merhaba. Nasıl yardımcı olalım?|Mesaj yazın|Gönder|Durdur|Sona git|Tekrar dene|Kopyala|Yanıt eksik|Yapay zekâ asistanı|Kalan mesaj|Bağlantı koptu.|Sayfayı yenileyin.|Sohbet kullanılamıyor.|Bir şeyler ters gitti.|Kaynaklar",
  ja:
    "チャットを開く|閉じる|新しいチャット|ご用件をどうぞ。|メッセージを入力|送信|停止|最新へ|再試行|コピー|回答は途中です|AIアシスタント|残り|接続が切れました。|再読み込みしてください。|現在利用できません。|問題が発生しました。|出典",
  zh:
    "打开聊天|关闭聊天|新聊天|有什么可以帮您？|输入消息|发送|停止|跳到最新|重试|复制|回答不完整|AI 助手|剩余消息|连接已断开。|请刷新页面。|聊天暂时不可用。|出了点问题。|来源",
  ar:
    "فتح الدردشة|إغلاق الدردشة|دردشة جديدة|مرحبًا. كيف يمكننا المساعدة؟|اكتب رسالة|إرسال|إيقاف|إلى النهاية|إعادة المحاولة|نسخ|إجابة غير مكتملة|مساعد ذكي|الرسائل المتبقية|انقطع الاتصال.|أعد تحميل الصفحة.|غير متاحة حاليًا.|حدث خطأ ما.|المصادر",
};
