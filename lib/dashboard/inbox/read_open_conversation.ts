import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { LiveRun } from "../../chat/live_runs.ts";
import { conversationFilterParams, isUuid } from "../../http/request_params.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { Transcript } from "../../schemas/conversation.ts";
import { conversationSource } from "../../store/runs/run_record.ts";
import { signedIn } from "../authorization.ts";
import type { ShownHandoff } from "../handoff/read_handoff.ts";
import { readTranscript } from "../find_conversation.ts";

export interface OpenConversation {
  transcript: Transcript;
  /** Runs that are being answered, oldest first; they follow those of the transcript. */
  live: LiveRun[];
}

/** The conversation named by the URL; `undefined` if there is none, also for an invalid URL. */
export async function readOpenConversation(
  ctx: Context<State>,
  handoff?: ShownHandoff,
): Promise<OpenConversation | undefined> {
  // Live runs first: one that ends in between is then part of the transcript.
  const live = await readLiveRuns(ctx);
  const transcript = await readTranscript(ctx);
  if (transcript !== undefined) {
    const stored = new Set(transcript.runs.map(({ runId }) => runId));
    // Later pages of a long conversation do not show them.
    const isLastPage = transcript.nextCursor === undefined;
    const { agentId, origin, visitorId } = transcript;
    const shown = live.filter(({ facts, ...run }) =>
      isLastPage && !stored.has(facts.runId) && facts.agentId === agentId &&
      run.origin === origin && run.visitorId === visitorId
    );
    return { transcript, live: shown };
  }
  const [first] = live;
  if (first !== undefined) return { transcript: beforeFirstAnswer(first), live };
  return handoff && { transcript: withoutRuns(handoff), live };
}

async function readLiveRuns(ctx: Context<State>): Promise<LiveRun[]> {
  const { tenant } = signedIn(ctx.state);
  const id = ctx.params.id ?? "";
  if (!isUuid(id)) return [];
  try {
    const filter = conversationFilterParams(ctx.url);
    return await ctx.state.service.inbox.liveRuns(tenant, id.toLowerCase(), filter);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return [];
    throw error;
  }
}

/** A conversation whose runs have expired before the messages of people. */
function withoutRuns({ head }: ShownHandoff): Transcript {
  const at = new Date(head.requestedAt).toISOString();
  return {
    id: head.id,
    agentId: head.agentId,
    ...(head.origin === undefined ? {} : { origin: head.origin }),
    createdAt: at,
    updatedAt: at,
    expiresAt: new Date(head.exp).toISOString(),
    runCount: 0,
    costUsd: 0,
    runs: [],
  };
}

/** A conversation whose first answer is not complete: nothing of it is stored yet. */
function beforeFirstAnswer({ facts, origin, visitorId }: LiveRun): Transcript {
  const startedAt = new Date(facts.startedAt).toISOString();
  return {
    id: facts.conversationId,
    agentId: facts.agentId,
    ...(origin === undefined ? {} : { origin }),
    source: conversationSource(facts.source),
    ...(visitorId === undefined ? {} : { visitorId }),
    createdAt: startedAt,
    updatedAt: startedAt,
    expiresAt: startedAt,
    runCount: 0,
    costUsd: 0,
    runs: [],
  };
}
