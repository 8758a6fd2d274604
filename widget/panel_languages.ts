/**
 * The panel's texts in the launcher's languages: the strings that follow the launcher's in
 * string_ids.ts, without codes or status numbers. Imported last, with similar languages next to each
 * other: any other order costs up to 600 bytes more.
 */
export const PANEL_LANGUAGES: Readonly<Record<string, string>> = {
  en:
    "AI assistant|New conversation|Hello. How can we help?|Send message|Stop answering|Jump to latest|Copy|This answer is incomplete|The connection was lost.|Please reload the page.|Something went wrong.|More",
  nl:
    "AI-assistent|Nieuwe chat|Hallo. Hoe kunnen we helpen?|Verzenden|Stoppen|Naar einde|Kopiëren|Antwoord onvolledig|Verbinding verbroken.|Laad de pagina opnieuw.|Er ging iets mis.|Meer",
  de:
    "KI-Assistent|Neuer Chat|Hallo. Wie können wir helfen?|Senden|Stoppen|Zum Neuesten|Kopieren|Antwort unvollständig|Verbindung verloren.|Bitte Seite neu laden.|Etwas ist schiefgegangen.|Mehr",
  fr:
    "Assistant IA|Nouveau chat|Bonjour. Comment pouvons-nous aider ?|Envoyer|Arrêter|Aller à la fin|Copier|Réponse incomplète|Connexion perdue.|Veuillez recharger la page.|Une erreur est survenue.|Plus",
  es:
    "Asistente de IA|Nuevo chat|Hola. ¿En qué podemos ayudar?|Enviar|Detener|Ir al final|Copiar|Respuesta incompleta|Conexión perdida.|Recargue la página.|Algo ha salido mal.|Más",
  pt:
    "Assistente de IA|Novo chat|Olá. Como podemos ajudar?|Enviar|Parar|Ir para o final|Copiar|Resposta incompleta|Conexão perdida.|Recarregue a página.|Algo deu errado.|Mais",
  it:
    "Assistente IA|Nuova chat|Ciao. Come possiamo aiutare?|Invia|Ferma|Vai alla fine|Copia|Risposta incompleta|Connessione persa.|Ricarica la pagina.|Qualcosa è andato storto.|Altro",
  pl:
    "Asystent AI|Nowy czat|Witaj. Jak możemy pomóc?|Wyślij|Zatrzymaj|Na koniec|Kopiuj|Odpowiedź niepełna|Utracono połączenie.|Odśwież stronę.|Coś poszło nie tak.|Więcej",
  tr:
    "Yapay zekâ asistanı|Yeni sohbet|Merhaba. Nasıl yardımcı olalım?|Gönder|Durdur|Sona git|Kopyala|Yanıt eksik|Bağlantı koptu.|Sayfayı yenileyin.|Bir şeyler ters gitti.|Diğer",
  ja:
    "AIアシスタント|新しいチャット|ご用件をどうぞ。|送信|停止|最新へ|コピー|回答は途中です|接続が切れました。|再読み込みしてください。|問題が発生しました。|その他",
  zh:
    "AI 助手|新聊天|有什么可以帮您？|发送|停止|跳到最新|复制|回答不完整|连接已断开。|请刷新页面。|出了点问题。|更多",
  ar:
    "مساعد ذكي|دردشة جديدة|مرحبًا. كيف يمكننا المساعدة؟|إرسال|إيقاف|إلى النهاية|نسخ|إجابة غير مكتملة|انقطع الاتصال.|أعد تحميل الصفحة.|حدث خطأ ما.|المزيد",
};
