/** Reads answers aloud with the browser's voices. */
import type { TranscriptMessage } from "../../state.ts";
import type { Ui } from "../../ui.ts";

export interface Reader {
  /** What is being read. */
  answer: TranscriptMessage | undefined;
  /** Starts to read, or stops if this answer is being read. `lang` is a BCP 47 tag. */
  toggle(answer: TranscriptMessage, lang: string): void;
  stop(): void;
}

/** Browsers stop in the middle of long texts, so each sentence is read by itself. */
const SENTENCE_END = /([.!?…:])\s|([。！？؟])/g;
/** Before the text of a list's item. */
const BULLET = /^[\s-]+/;

export function createReader(
  { lent: { stripMarkup } }: Pick<Ui, "lent">,
  changed: () => void,
): Reader {
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
      const sentences = answer.text.replace(SENTENCE_END, "$1$2\n").split("\n")
        .map((text) => stripMarkup(text.replace(BULLET, ""))).filter(Boolean);
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
