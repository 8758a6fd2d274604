/** What the service has of a conversation, as the panel's state. */
import type { AttachedFile, SavedState, Source, TranscriptMessage } from "../../state.ts";

interface OwnMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  readonly runId: string;
  /** The client has sent it as an earlier message: the run is not its own. */
  readonly claimed?: true;
  /** Its answer was asked for again, or its question was changed. */
  readonly superseded?: true;
  readonly attachments?: readonly AttachedFile[];
  readonly sources?: Source[];
  readonly finishReason?: string;
}

export interface Transcript {
  readonly id: string;
  readonly messages: readonly OwnMessage[];
  /** Its answer is being written. */
  readonly activeRunId?: string;
  readonly nextCursor?: string;
}

/** Messages that are shown; fewer are sent. */
const MAX_SHOWN = 200;

/** The messages get ids from `nextId` on. An answer that is being written is followed from its start. */
export function toSavedState(
  { id, messages, activeRunId }: Transcript,
  nextId: number,
): Partial<SavedState> {
  const shown = messages.filter(({ superseded }) => !superseded).slice(-MAX_SHOWN);
  const turns = shown.map((
    { role, content, runId, claimed, attachments, sources, finishReason = "stop" },
  ): TranscriptMessage => ({
    id: nextId++,
    role,
    text: content,
    // Only its own run can be rated and replaced.
    run: claimed ? undefined : runId,
    files: attachments,
    sources,
    partial: finishReason !== "stop",
  }));
  const attempt = activeRunId ? { key: "", run: activeRunId, n: 0, messages: [] } : undefined;
  return { turns, nextId, conversationId: id, attempt };
}
