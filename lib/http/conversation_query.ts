import { validationError } from "../errors.ts";
import type { ConversationFilter } from "../storage/conversation_store.ts";
import { isUuid } from "./uuid_param.ts";

/** `?agentId`, lower-cased; 400 for what is no UUID. */
export function agentIdParam(url: URL): string | undefined {
  const agentId = url.searchParams.get("agentId") ?? undefined;
  if (agentId === undefined || isUuid(agentId)) return agentId?.toLowerCase();
  throw validationError([{ path: "agentId", code: "invalid_format", message: "must be a UUID" }]);
}

/** `?agentId&origin`, which tell apart conversations that share an id. */
export function conversationFilterParams(url: URL): ConversationFilter {
  const origin = url.searchParams.get("origin") ?? undefined;
  return { agentId: agentIdParam(url), origin };
}
