import type { CallableTool } from "../../agent/tools/callable_tool.ts";
import { type HandOffOutcome, handOffTool } from "../../agent/tools/hand_off_tool.ts";
import { ToolError } from "../../agent/tools/tool_error.ts";
import type { ToolsetRequest } from "../../agent/tools/toolset_factory.ts";
import { conversationName } from "../../store/conversations/conversation_record.ts";
import type {
  ConversationHandoffs,
  PersonRequestResult,
} from "../handoff/conversation_handoffs.ts";

/** `hand_off` for a run whose agent allows it and whose conversation is stored; nothing otherwise. */
export function handoffTools(
  handoffs: Pick<ConversationHandoffs, "request">,
  { tenant, agent, conversation }: ToolsetRequest,
): CallableTool[] {
  const { id: agentId, handoff: settings, retentionDays } = agent;
  if (agentId === undefined || conversation === undefined) return [];
  if (!settings?.enabled || !settings.by.includes("model")) return [];
  const { id, runId, origin, visitor } = conversation;
  return [
    handOffTool(async (reason) => {
      const name = await conversationName(id, { tenant, agentId, origin, visitor });
      const place = { name, runId, origin, visitor };
      const request = { ...place, settings, retentionDays, reason, by: "model" as const };
      return toOutcome(await handoffs.request(request), settings.message);
    }),
  ];
}

function toOutcome(result: PersonRequestResult, message: string): HandOffOutcome {
  if ("failed" in result) {
    throw new ToolError("tool_unreachable", "this conversation cannot be handed over");
  }
  const { state, contact } = result.head;
  if (state === "waiting" || state === "taken") return { state, note: message };
  const note = contact === "open"
    ? "Nobody is there at this time. The user can leave an e-mail address and a message."
    : "Nobody is there at this time. Go on helping the user yourself.";
  return { state: "unavailable", note };
}
