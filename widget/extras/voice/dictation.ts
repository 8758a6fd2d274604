/** Writes what the visitor says into the field, as it is recognized. Nothing is sent by itself. */

/** What browsers have of https://webaudio.github.io/web-speech-api, which TypeScript does not know. */
export interface SpeechRecognizer {
  start(): void;
  /** Ends it once what was said is recognized. */
  stop(): void;
  /** Ends it at once, with the error `aborted`. */
  abort(): void;
}

interface RecognizerEvents {
  onresult(event: { results: Iterable<readonly [{ transcript: string }]> }): void;
  onerror(event: { error: string }): void;
  onend(): void;
}

/** Undefined where the browser has none. */
export function findRecognizer(): (new () => SpeechRecognizer) | undefined {
  const all = globalThis as Record<string, unknown>;
  return (all.SpeechRecognition ?? all.webkitSpeechRecognition) as new () => SpeechRecognizer;
}

export interface DictationOptions {
  readonly field: HTMLTextAreaElement;
  /** A BCP 47 tag. */
  readonly lang: string;
  /** Called once, with "" if something was heard, else with the browser's error. */
  readonly ended: (error: string) => void;
}

export function startDictation(
  recognizer: SpeechRecognizer,
  { field, lang, ended }: DictationOptions,
): void {
  const before = field.value && `${field.value.trimEnd()} `;
  let written = field.value;
  let problem = "no-speech";
  const events: RecognizerEvents = {
    onresult({ results }) {
      // The visitor has typed, or has sent the text: it is theirs again.
      if (field.value !== written) return recognizer.abort();
      problem = "";
      field.value = written = before + [...results].map(([best]) => best.transcript).join("");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    },
    onerror({ error }) {
      problem &&= error;
    },
    onend: () => ended(problem),
  };
  Object.assign(recognizer, { lang, continuous: true, interimResults: true, ...events });
  recognizer.start();
}
