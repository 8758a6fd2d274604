/** Reads answers aloud with the browser's voices. */
import { stripMarkup, type TranscriptMessage } from "../../state.ts";

export interface Reader {
  /** What is being read. */
  answer: TranscriptMessage | undefined;
  /** Starts to read, or stops if this answer is being read. `lang` is a BCP 47 tag. */
  toggle(answer: TranscriptMessage, lang: string): void;
  stop(): void;
}

/** Browsers stop in the middle of long texts, so each sentence is a text of its own. */
const BETWEEN_SENTENCES = /\n[\s-]*|(?<=[.!?…:])\s|(?<=[。！？؟])/;

export function createReader(changed: () => void): Reader {
  /** Kept, because a browser forgets to say when a text that nothing refers to has ended. */
  let spoken: SpeechSynthesisUtterance[] = [];
  const reader: Reader = {
    answer: undefined,
    stop() {
      if (!reader.answer) return;
      reader.answer = undefined;
      spoken = [];
      speechSynthesis.cancel();
      changed();
    },
    toggle(answer, lang) {
      const isStopped = reader.answer === answer;
      reader.stop();
      if (isStopped) return;
      reader.answer = answer;
      const sentences = answer.text.split(BETWEEN_SENTENCES).map(stripMarkup).filter(Boolean);
      const mine = spoken = sentences.map((text) => new SpeechSynthesisUtterance(text));
      const end = () => mine === spoken && reader.stop();
      for (const utterance of mine) {
        utterance.lang = lang;
        utterance.onerror = end;
        speechSynthesis.speak(utterance);
      }
      if (mine[0]) mine.at(-1)!.onend = end;
      else end();
      changed();
    },
  };
  return reader;
}
