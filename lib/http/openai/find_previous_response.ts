import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ChatMessage } from "../../schemas/chat.ts";
import { earlierMessages } from "../earlier_messages.ts";
import { identifyKey, requireChatAccess } from "../identify_key.ts";
import { undefinedIfNotFound } from "../request_params.ts";
import { runOfResponse } from "./response_object.ts";

/**
 * The messages of a conversation up to a response. Throws 400 if the response is unknown or not stored, and
 * 401 or 403 for a key that may not chat.
 */
export async function findPreviousResponse(
  { req, state }: Pick<Context<State>, "req" | "state">,
  { id, agentId }: { id: string; agentId: string },
): Promise<{ messages: ChatMessage[]; conversationId: string }> {
  const { service } = state;
  const identity = await identifyKey(req, state);
  requireChatAccess(identity, agentId);
  const { tenant } = identity;
  const runId = runOfResponse(id) ?? notFound();
  const found = await service.conversations.findByRun(tenant, runId) ?? notFound();
  if (found.agentId !== agentId) notFound();
  const place = { tenant, agentId, conversationId: found.id, untilRun: runId };
  const messages = await undefinedIfNotFound(() => earlierMessages(service, place)) ?? notFound();
  return { messages, conversationId: found.id };
}

function notFound(): never {
  const message = "there is no such response, or its conversation is not stored";
  const openAiCode = "previous_response_not_found";
  const param = "previous_response_id";
  throw new ApiError("schema_validation_failed", message, { details: { param, openAiCode } });
}
