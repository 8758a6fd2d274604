/** The state that the widget shows, and the part of it that survives a reload. */
import type { FrameOf } from "../lib/schemas/frames.ts";
import type { Rating } from "../lib/schemas/rating.ts";
import type { Attempt } from "./client/chat_run.ts";
import type { Failure } from "./failure.ts";

/** A file that the service has. */
export interface AttachedFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes?: number;
  /** Paints its preview, until the page is left. */
  paint?: ((canvas: HTMLCanvasElement | null) => void) | undefined;
}

/** A passage that was found. */
export interface Source {
  /** Of its document. */
  readonly title: string;
  readonly text: string;
  /** Of a web page. */
  readonly url?: string | undefined;
}

/**
 * A conversation that people were asked for. The panel notices it; the extras look after the rest. What
 * the service says of it is kept as it is: docs/protocol.md.
 */
export interface Handoff {
  /** The service has said something of it that the extras have not looked at. */
  news?: boolean | undefined;
  /** `waiting` or `taken`, or how it ended. Quoted, because the bundler shortens this name. */
  "state"?: string | undefined;
  /** Who has the conversation, or had it. */
  person?: string | undefined;
  /** The agent's text for those who wait. */
  message?: string | undefined;
  /** The wait, ISO 8601. */
  requestedAt?: string | undefined;
  answerBy?: string | undefined;
  /** E-mail address and message may be left. */
  form?: boolean | undefined;
  /** The address that was left. */
  email?: string | undefined;
  /** Id of the last event that was shown. */
  after?: string | undefined;
  /** How it ended is shown until there is a message with this number. */
  until?: number | undefined;
}

/** A call of a tool that waits: for a decision, or for the output of a function of the page. */
export interface WaitingCall extends FrameOf<"tool_call"> {
  /** What people call the tool. */
  readonly title: string;
  readonly run: string;
  /** Number of its frame. */
  readonly n: number;
  /** The page's function was called, so that it is not called again after a reload. */
  begun?: boolean;
}

export interface TranscriptMessage {
  /** Unique within the tab; the key of its element. */
  readonly id: number;
  readonly role: "user" | "assistant" | "person";
  text: string;
  /** The answer was stopped before its end. */
  partial?: boolean;
  /** The run of a question and its answer. */
  run?: string | undefined;
  /** The run whose question or answer this question replaces. */
  replaces?: string | undefined;
  /** What is attached to a question. */
  files?: readonly AttachedFile[] | undefined;
  /** How the visitor rated an answer. */
  rating?: Rating | undefined;
  /** Passages found; stored on the question until the answer begins. Earlier releases stored titles. */
  sources?: (Source | string)[] | undefined;
  /** How the model suggested what to ask next, unchecked; on the question if before any text. */
  followUps?: unknown;
  /** The name of the person who wrote it. */
  person?: string | undefined;
  /** The id of its event in the feed. */
  eventId?: string | undefined;
}

/** The state stored for the tab. */
export interface SavedState {
  open: boolean;
  turns: TranscriptMessage[];
  nextId: number;
  conversationId?: string | undefined;
  /** The question whose answer is not complete. */
  attempt?: Attempt | undefined;
  /** Text that is not sent yet. */
  draft?: string | undefined;
  /** What is attached to it. */
  files?: readonly AttachedFile[] | undefined;
  handoff?: Handoff | undefined;
  calls?: readonly WaitingCall[] | undefined;
}

export interface State extends SavedState {
  /** While the panel was closed, an answer completed or failed, or a call began to wait for the visitor. */
  unread: boolean;
  /** An answer is arriving. */
  busy: boolean;
  /** The connection broke and is being retried. */
  lost: boolean;
  /** There while a file is being uploaded. Called for the message that has to wait; true. */
  uploading?: (() => true) | undefined;
  /** What the running tool does, or its name, or "". */
  tool: string;
  failure?: Failure | undefined;
  /** Text for screen readers: whole sentences, never single words. */
  announcements: string[];
}

export function initialState(saved?: SavedState): State {
  const rest = { unread: false, busy: false, lost: false, tool: "", announcements: [] };
  return { open: false, turns: [], nextId: 1, ...saved, ...rest };
}

/** The tab stores them. */
const MAX_PASSAGES = 8;
const MAX_PASSAGE_LENGTH = 1000;

/** Adds the passages in a knowledge search's result. Other tools' output is untrusted. */
export function addSources(
  message: TranscriptMessage,
  { name, output }: { name: string; output: unknown },
): void {
  const found = name === "search_knowledge" && Object(output).passages;
  if (!Array.isArray(found)) return;
  const passages = found.map((passage) => ({
    title: `${passage?.title}`,
    url: passage?.url,
    text: `${passage?.text ?? ""}`.slice(0, MAX_PASSAGE_LENGTH),
  }));
  message.sources = [...message.sources ?? [], ...passages].slice(0, MAX_PASSAGES);
}
