/** The answer that is arriving: its text in the transcript, and what of it can be read aloud. */
import type { State, TranscriptMessage } from "./state.ts";

/** The answer to the last question, or undefined while there is none. */
export function currentAnswer({ turns }: State): TranscriptMessage | undefined {
  const last = turns.at(-1);
  return last?.role === "assistant" ? last : undefined;
}

/** Adds to the answer, which begins with its first text. */
export function appendText(state: State, text: string): void {
  const answer = currentAnswer(state);
  if (answer) answer.text += text;
  // Sources found before the first text move from the question to the answer.
  else if (text) {
    const { run, sources } = state.turns.at(-1)!;
    state.turns.push({ id: state.nextId++, role: "assistant", text, run, sources });
  }
}

/** Removes the answer, which another one replaces, and what the run before waits for. */
export function dropAnswer(state: State): void {
  if (currentAnswer(state)) state.turns.pop();
  delete state.turns.at(-1)?.sources;
  state.calls = undefined;
}

/** Fences, table rules, quote marks, link addresses and all other Markdown syntax. */
const MARKUP = /^[> ]*[`~]{3}.*|^[|:\s-]+$|^[>\s]+|!?\[|]\([^()\s]*\)|[*_`#|~\]]+/gm;

/** An answer's text for reading aloud, without Markdown syntax. */
export function stripMarkup(text: string): string {
  return text.replace(MARKUP, " ").replace(/\s+/g, " ").trim();
}

/** Length of the complete sentences at the start of `text`. */
export function completeSentencesLength(text: string): number {
  return /^[^]*(?:[.!?:]\s|[。！？؟\n])/.exec(text)?.[0].length ?? 0;
}
