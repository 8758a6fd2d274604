/** Everything the widget shows and everything a reload must not lose. */
import type { Attempt } from "./client/chat_run.ts";
import type { Failure } from "./failure.ts";
import type { TranscriptMessage } from "./turn.ts";

/** What is kept for the tab. */
export interface SavedState {
  open: boolean;
  turns: TranscriptMessage[];
  nextId: number;
  conversationId?: string | undefined;
  /** The question that has no whole answer yet. */
  attempt?: Attempt | undefined;
  /** What is written and not yet sent. */
  draft?: string | undefined;
}

export interface State extends SavedState {
  /** An answer was completed, or failed, while the panel was closed. */
  unread: boolean;
  /** From the question until the answer's end. */
  busy: boolean;
  /** The connection broke and is tried again. */
  lost: boolean;
  /** Name of the tool at work, or "". */
  tool: string;
  failure?: Failure | undefined;
  /** What a screen reader is told: whole sentences, never single words. */
  said: string[];
}

export function initialState(saved?: SavedState): State {
  const rest = { unread: false, busy: false, lost: false, tool: "", said: [] };
  return { open: false, turns: [], nextId: 1, ...saved, ...rest };
}

/** The answer to the last question; undefined while there is none. */
export function currentAnswer({ turns }: State): TranscriptMessage | undefined {
  const last = turns.at(-1);
  return last?.role === "assistant" ? last : undefined;
}

/** Fences, rules of tables, marks of quotes, addresses of links, and all other marks of markup. */
const MARKUP = /^[> ]*[`~]{3}.*|^[|:\s-]+$|^[>\s]+|!?\[|]\([^()\s]*\)|[*_`#|~\]]+/gm;

/** An answer's text as it is read aloud: without the marks of its markup. */
export function stripMarkup(text: string): string {
  return text.replace(MARKUP, " ").replace(/\s+/g, " ").trim();
}

/** Length of the whole sentences that `text` begins with. */
export function completeSentencesLength(text: string): number {
  return /^[^]*(?:[.!?:]\s|[。！？؟\n])/.exec(text)?.[0].length ?? 0;
}
