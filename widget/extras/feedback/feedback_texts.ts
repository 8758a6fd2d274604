import type { Languages } from "../../locales.ts";

/** The texts of thumbs and comment form. Short and calm; strings in the order of feedback_ids.ts. */
export const FEEDBACK_TEXTS: Languages = {
  en: "Good answer|Bad answer|What was wrong? (optional)|Thank you|Send feedback",
  nl: "Goed antwoord|Slecht antwoord|Wat klopte er niet? (optioneel)|Bedankt|Feedback versturen",
  de: "Gute Antwort|Schlechte Antwort|Was war falsch? (optional)|Danke|Feedback senden",
  fr:
    "Bonne réponse|Mauvaise réponse|Qu’est-ce qui n’allait pas ? (facultatif)|Merci|Envoyer l’avis",
  es: "Buena respuesta|Mala respuesta|¿Qué ha fallado? (opcional)|Gracias|Enviar comentario",
  pt: "Boa resposta|Má resposta|O que estava errado? (opcional)|Agradecemos|Enviar comentário",
  it: "Buona risposta|Risposta sbagliata|Che cosa non andava? (facoltativo)|Grazie|Invia commento",
  pl: "Dobra odpowiedź|Zła odpowiedź|Co było nie tak? (opcjonalnie)|Dziękujemy|Wyślij komentarz",
  tr: "İyi yanıt|Kötü yanıt|Sorun neydi? (isteğe bağlı)|Teşekkürler|Yorumu gönder",
  ja: "良い回答|悪い回答|問題点（任意）|ありがとうございます|送信",
  zh: "回答有帮助|回答没有帮助|哪里有问题？（可选）|谢谢|发送反馈",
  ar: "إجابة جيدة|إجابة سيئة|ما المشكلة؟ (اختياري)|شكرًا لك|إرسال التعليق",
};
