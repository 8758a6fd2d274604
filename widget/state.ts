import type { Attempt } from "./client/chat_run.ts";
import type { Failure } from "./failure.ts";

/** One thing said. */
export interface TranscriptMessage {
  /** Unique within the tab: the key of its element. */
  readonly id: number;
  readonly role: "user" | "assistant";
  text: string;
  /** The answer is not whole: the visitor stopped it, or something else did. */
  partial?: boolean;
  /** Titles of the documents it was answered from; on the question until there is an answer. */
  sources?: string[] | undefined;
}

/** Everything the widget shows and everything a reload must not lose. */

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

/** What an answer is drawn from: the documents in which the agent's own search found something. */

/** Adds the titles that a tool's result names, each once; any tool may answer anything. */
export function addSources(
  turn: TranscriptMessage,
  { name, output }: { name: string; output: unknown },
): void {
  const found = name === "search_knowledge" && Object(output).passages;
  if (!Array.isArray(found)) return;
  turn.sources = [
    ...new Set((turn.sources ?? []).concat(found.map((passage) => `${passage?.title}`))),
  ];
}
