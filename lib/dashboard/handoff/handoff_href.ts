import type { HandoffHead } from "../../store/handoffs/handoff_record.ts";
import { conversationHref } from "../conversation_filters.ts";

/**
 * The URL of exactly this hand-off's conversation: a person's words must not reach another visitor, whose
 * conversation has the same id.
 */
export function handoffHref(
  head: Pick<HandoffHead, "id" | "agentId" | "origin" | "visitor">,
  page = "",
): string {
  return conversationHref({ ...head, visitor: head.visitor ?? "" }, page);
}
