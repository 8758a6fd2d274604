/** Writes what the visitor says into the field, as it is recognized. Nothing is sent by itself. */
import { MAX_MESSAGE_LENGTH } from "../../history.ts";

/** What browsers have of https://webaudio.github.io/web-speech-api, which TypeScript does not know. */
export interface SpeechRecognizer {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: { results: Iterable<Iterable<{ transcript: string }>> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  /** What was said until now is still recognized. */
  stop(): void;
  abort(): void;
}

export type SpeechRecognizerClass = new () => SpeechRecognizer;

/** Undefined where the browser has none. */
export function findRecognizer(): SpeechRecognizerClass | undefined {
  const all = globalThis as Record<string, unknown>;
  return (all.SpeechRecognition ?? all.webkitSpeechRecognition) as SpeechRecognizerClass;
}

export interface DictationOptions {
  readonly recognizer: SpeechRecognizer;
  readonly field: HTMLTextAreaElement;
  /** A BCP 47 tag. */
  readonly lang: string;
  /** Called once, with the browser's error, or with "" if something was heard or it was stopped. */
  readonly ended: (error: string) => void;
}

export interface Dictation {
  /** Ends it once what was said is in the field. */
  stop(): void;
  /** Ends it at once. */
  abort(): void;
}

export function startDictation({ recognizer, field, lang, ended }: DictationOptions): Dictation {
  const before = field.value && `${field.value.trimEnd()} `;
  let written = field.value;
  let error = "no-speech";
  const abort = () => {
    error = "";
    recognizer.onresult = null;
    recognizer.abort();
  };
  Object.assign(recognizer, { lang, continuous: true, interimResults: true });
  recognizer.onresult = ({ results }) => {
    // The visitor has typed, or has sent the text: it is theirs again.
    if (field.value !== written) return abort();
    error = "";
    const heard = [...results].map(([best]) => best!.transcript).join("");
    field.value = written = (before + heard).slice(0, MAX_MESSAGE_LENGTH);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  recognizer.onerror = (event) => error &&= event.error;
  recognizer.onend = () => ended(error);
  recognizer.start();
  return {
    abort,
    stop() {
      error = "";
      recognizer.stop();
    },
  };
}
