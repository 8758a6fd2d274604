import type { ChatService, StartedRun, StartOptions } from "../chat/chat_service.ts";
import { RunStillActiveError } from "../chat/replaced_runs.ts";
import type { FollowableRun } from "../chat/log/run_log.ts";
import { authorizeChatMessage, type ChatContext, type ChatMessage } from "./chat_message.ts";

export interface StartedChat {
  run: FollowableRun;
  /** Headers that every answer to a message has. */
  headers: Record<string, string>;
}

/**
 * Starts the run of a message, and resolves when its stream may open. Throws an `ApiError` as `admitChat`
 * does, and if no model accepts.
 */
export async function startChat(ctx: ChatContext, message: ChatMessage): Promise<StartedChat> {
  const { service: { runs } } = ctx.state;
  const { runId, gone } = message;
  const { tenant, replayed, open } = await admitChat(ctx, message);
  // A client that repeats a message may not stop the one that sent it first.
  if (gone !== undefined && !replayed) {
    const cancel = () => void runs.cancel(tenant, runId).catch(() => {});
    gone.addEventListener("abort", cancel, { once: true });
    if (gone.aborted) cancel();
  }
  const headers: Record<string, string> = replayed ? { "idempotency-replayed": "true" } : {};
  return { run: await open(), headers };
}

type AdmittedChat = StartedRun & { tenant: string };

/**
 * Authenticates the sender, counts and admits the message, and begins its run, in one transaction: the
 * only way from /v1 to a run, whatever format the message was sent in. Throws an `ApiError` for an
 * invalid message and for a limit that is reached. A run that the message replaces is ended first.
 */
export function admitChat(ctx: ChatContext, message: ChatMessage): Promise<AdmittedChat> {
  return endingReplaced(ctx.state.service.chat, (endedRun) => {
    return admitOnce(ctx, message, { endedRun });
  });
}

/** Admits a message; if it replaces a run that is still active, once that has ended. */
export async function endingReplaced<T>(
  chat: Pick<ChatService, "endReplaced">,
  admit: (endedRun?: string) => Promise<T>,
): Promise<T> {
  try {
    return await admit();
  } catch (error) {
    if (!(error instanceof RunStillActiveError)) throw error;
    // Only now it is known that the sender may replace, and so stop, that run.
    await chat.endReplaced(error);
    return await admit(error.runId);
  }
}

async function admitOnce(
  ctx: ChatContext,
  message: ChatMessage,
  { endedRun }: Pick<StartOptions, "endedRun">,
): Promise<AdmittedChat> {
  const { service: { chat }, rateLimiter } = ctx.state;
  return await rateLimiter.transact(async (view) => {
    const { request, ...options } = await authorizeChatMessage(ctx, message, view);
    const started = await chat.start(request, {
      ...options,
      endedRun,
      reader: view,
      admit: (run) => rateLimiter.admitRun(view, run),
    });
    return { ...started, tenant: request.tenant };
  });
}
