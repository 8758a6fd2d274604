import type { FollowableRun } from "../chat/log/run_log.ts";
import { ApiError } from "../schemas/api_error.ts";
import { type AnsweredCalls, type CallReply, parseCallId } from "../schemas/waiting_call.ts";
import type { ChatContext } from "./chat_message.ts";
import { assertSize } from "./reply_to_call.ts";
import { findAccessibleRun } from "./run_access.ts";

/** A run that continues with the answers to its calls. */
export interface ContinuedRun {
  run: FollowableRun;
  /** The number of the last call that was answered: the stream continues after it. */
  after: number;
  /** The numbers of all calls that the client has answered itself. */
  answered: ReadonlySet<number>;
}

/**
 * Answers calls of a waiting run, for clients whose stream has ended at one. Everyone who may resume the
 * run may answer. Clients send earlier answers again: one answer must count. Throws an `ApiError` if none does.
 */
export async function answerCalls(
  { req, state }: ChatContext,
  { agentId, calls }: AnsweredCalls,
): Promise<ContinuedRun> {
  const { runs } = state.service;
  const { runId } = parseCallId(calls[0]!.id);
  const { tenant, found, by } = await findAccessibleRun(req, state, { runId, counted: true });
  if (!("head" in found)) throw new ApiError("stream_expired", "the frames of this run are gone");
  if (found.head.agentId !== agentId) throw new ApiError("not_found", "there is no such run");
  let failure: unknown;
  let after: number | undefined;
  for (const { id, ...reply } of calls) {
    const { n } = parseCallId(id);
    try {
      assertSize(reply as CallReply);
      await runs.answerCall({ tenant, runId, n }, { reply: reply as CallReply, by });
      after = n;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failure = error;
    }
  }
  if (after === undefined) throw failure;
  const answered = calls.filter((call) => !("approve" in call)).map(({ id }) => parseCallId(id).n);
  return { run: runs.follow(tenant, runId), after, answered: new Set(answered) };
}
