import type { Languages } from "../../locales.ts";

/** The texts of the hand-off to people. Short and calm; strings in the order of handoff_ids.ts. */
export const HANDOFF_TEXTS: Languages = {
  en:
    "Talk to a person|You can go on writing.|Longest wait|You are talking to $.|$ is typing…|Your conversation with $ has ended.|Nobody can answer right now.|The assistant answers again.|Leave a message, and we will write to you.|E-mail|Message|Thank you. We will write to $.",
  nl:
    "Praten met een medewerker|U kunt gewoon verder schrijven.|Langste wachttijd|U praat met $.|$ is aan het typen…|Uw gesprek met $ is afgelopen.|Er kan nu niemand antwoorden.|De assistent antwoordt weer.|Laat een bericht achter, dan schrijven we u.|E-mail|Bericht|Bedankt. We schrijven naar $.",
  de:
    "Mit einem Menschen sprechen|Sie können weiterschreiben.|Längste Wartezeit|Sie sprechen mit $.|$ schreibt …|Ihr Gespräch mit $ ist beendet.|Im Moment kann niemand antworten.|Der Assistent antwortet wieder.|Hinterlassen Sie eine Nachricht, dann schreiben wir Ihnen.|E-Mail|Nachricht|Danke. Wir schreiben an $.",
  fr:
    "Parler à une personne|Vous pouvez continuer à écrire.|Attente maximale|Vous parlez avec $.|$ écrit…|Votre conversation avec $ est terminée.|Personne ne peut répondre pour l’instant.|L’assistant répond de nouveau.|Laissez un message, et nous vous écrirons.|E-mail|Message|Merci. Nous écrirons à $.",
  es:
    "Hablar con una persona|Puede seguir escribiendo.|Espera máxima|Está hablando con $.|$ está escribiendo…|Su conversación con $ ha terminado.|Ahora nadie puede responder.|El asistente vuelve a responder.|Deje un mensaje, y le escribiremos.|Correo electrónico|Mensaje|Gracias. Escribiremos a $.",
  pt:
    "Falar com uma pessoa|Pode continuar escrevendo.|Espera máxima|A conversa é com $.|$ está escrevendo…|A conversa com $ terminou.|Ninguém pode responder agora.|O assistente volta a responder.|Deixe uma mensagem, e escreveremos.|E-mail|Mensagem|Agradecemos. Escreveremos para $.",
  it:
    "Parlare con una persona|Può continuare a scrivere.|Attesa massima|Sta parlando con $.|$ sta scrivendo…|La conversazione con $ è terminata.|Al momento nessuno può rispondere.|L’assistente risponde di nuovo.|Lasci un messaggio, e le scriveremo.|E-mail|Messaggio|Grazie. Scriveremo a $.",
  pl:
    "Rozmowa z człowiekiem|Można pisać dalej.|Najdłuższe oczekiwanie|Rozmawia z Tobą $.|$ pisze…|$ kończy rozmowę.|Teraz nikt nie może odpowiedzieć.|Asystent znów odpowiada.|Zostaw wiadomość, a napiszemy do Ciebie.|E-mail|Wiadomość|Dziękujemy. Napiszemy na $.",
  tr:
    "Bir kişiyle görüş|Yazmaya devam edebilirsiniz.|En uzun bekleme|Sizinle $ görüşüyor.|$ yazıyor…|$ ile görüşmeniz bitti.|Şu anda kimse yanıt veremiyor.|Asistan yeniden yanıt veriyor.|Bir mesaj bırakın, size yazalım.|E-posta|Mesaj|Teşekkürler. $ adresine yazacağız.",
  ja:
    "担当者と話す|続けて入力できます。|最長の待ち時間|$さんが対応しています。|$さんが入力中…|$さんとの会話は終了しました。|担当者は対応できません。|アシスタントに戻りました。|メッセージを残すとご連絡します。|メール|メッセージ|ありがとうございます。$ にご連絡します。",
  zh:
    "联系人工客服|您可以继续输入。|最长等待时间|$ 正在为您服务。|$ 正在输入…|与 $ 的对话已结束。|目前没有人可以回复。|助手继续为您回答。|请留言，我们会给您回信。|邮箱|留言|谢谢。我们会写信至 $。",
  ar:
    "التحدث إلى شخص|يمكنك مواصلة الكتابة.|أطول انتظار|أنت تتحدث إلى $.|$ يكتب الآن…|انتهت محادثتك مع $.|لا يمكن لأحد الرد الآن.|يجيب المساعد من جديد.|اترك رسالة وسنكتب إليك.|البريد الإلكتروني|الرسالة|شكرًا لك. سنكتب إلى $.",
};
