import type { Languages } from "../../locales.ts";

/** The texts of voice. Short and calm; strings in the order of voice_ids.ts. */
export const VOICE_TEXTS: Languages = {
  en: "Read aloud|Speak|Listening…|Stop|The microphone is not available.|Nothing was heard.",
  nl:
    "Voorlezen|Inspreken|Luistert…|Stoppen|De microfoon is niet beschikbaar.|Er is niets gehoord.",
  de:
    "Vorlesen|Sprechen|Hört zu…|Stoppen|Das Mikrofon ist nicht verfügbar.|Es war nichts zu hören.",
  fr:
    "Lire à voix haute|Parler|Écoute…|Arrêter|Le micro n’est pas disponible.|Rien n’a été entendu.",
  es:
    "Leer en voz alta|Hablar|Escuchando…|Detener|El micrófono no está disponible.|No se oyó nada.",
  pt: "Ler em voz alta|Falar|Ouvindo…|Parar|O microfone não está disponível.|Nada foi ouvido.",
  it:
    "Leggi ad alta voce|Parla|In ascolto…|Ferma|Il microfono non è disponibile.|Non si è sentito nulla.",
  pl: "Czytaj na głos|Mów|Słucham…|Zatrzymaj|Mikrofon jest niedostępny.|Nic nie usłyszano.",
  tr: "Sesli oku|Konuş|Dinleniyor…|Durdur|Mikrofon kullanılamıyor.|Bir şey duyulmadı.",
  ja: "読み上げ|音声で入力|聞いています…|停止|マイクを利用できません。|聞き取れませんでした。",
  zh: "朗读|语音输入|正在聆听…|停止|麦克风不可用。|没有听到声音。",
  ar: "القراءة بصوت عالٍ|تحدث|جارٍ الاستماع…|إيقاف|الميكروفون غير متاح.|لم يُسمع شيء.",
};
