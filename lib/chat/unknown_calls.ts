import { SEARCH_KNOWLEDGE } from "../agent/tools/search_knowledge_tool.ts";
import { SUGGEST_FOLLOW_UPS } from "../agent/tools/suggest_follow_ups_tool.ts";
import { isoTime } from "../platform/runtime.ts";
import type { Agent } from "../schemas/agent.ts";
import type { Frame, FrameOf } from "../schemas/frames.ts";
import { isRemoteTool, isRepeatable } from "../schemas/tool_definition.ts";
import {
  conversationHeadSchema,
  conversationName,
  type UnknownCall,
} from "../store/conversations/conversation_record.ts";
import { keys } from "../store/keys/keys.ts";
import type { KvReader } from "../store/tx/read_transaction.ts";
import { parseRecord } from "../store/values/record.ts";
import type { MessagePlace } from "./conversation_handoffs.ts";

const HEADING = "# Tool calls with an unknown outcome\n" +
  "An earlier answer in this conversation was interrupted while the following tools were being " +
  "called. Each call may or may not have taken effect. Do not simply make it again: find out " +
  "first, with another tool or by asking the user, and say that the outcome is not known.";

/** Tools of the service that change nothing. */
const READ_ONLY = new Set([SEARCH_KNOWLEDGE, SUGGEST_FOLLOW_UPS]);

/** The last call of an interrupted run, if it has no result. */
export function findOpenCall(frames: readonly Frame[]): FrameOf<"tool_call"> | undefined {
  const last = frames.at(-1);
  return last?.type === "tool_call" ? last : undefined;
}

/** Whether the model must be informed that the call's outcome is unknown. */
export function hasEffects({ name }: FrameOf<"tool_call">): boolean {
  return !READ_ONLY.has(name);
}

/** The result of a call whose process died. */
export function resultOfOpenCall(
  { name, pending }: FrameOf<"tool_call">,
  { n, wasMade }: { n: number; wasMade: boolean },
): FrameOf<"tool_result"> {
  const error = wasMade
    ? {
      code: "tool_outcome_unknown",
      message: "the answer was interrupted during the call; whether it took effect is not known",
    }
    : {
      code: "tool_not_approved_in_time",
      message: "the answer was interrupted before anybody agreed to the call; it was not made",
    };
  return { type: "tool_result", name, output: { error }, ...pending && { call: n } };
}

/**
 * The calls with an unknown outcome in a message's conversation. Nothing is read for an agent whose tools
 * have no effects, and at the start of a conversation.
 */
export async function findUnknownCalls(
  { tenant, agent, conversationId: id, origin, visitor }: MessagePlace & {
    agent: Pick<Agent, "tools">;
  },
  reader: KvReader,
): Promise<readonly UnknownCall[]> {
  if (id === undefined || !agent.tools.some(mayHaveEffects)) return [];
  const name = await conversationName(id, { tenant, agentId: agent.id, origin, visitor });
  const head = parseRecord(conversationHeadSchema, await reader.get(keys.conversation(name)));
  return head !== undefined && "id" in head ? head.unknownCalls ?? [] : [];
}

function mayHaveEffects(tool: Agent["tools"][number]): boolean {
  return !isRemoteTool(tool) || !isRepeatable(tool);
}

/** A system prompt with the calls whose outcome is unknown: only the service writes the system prompt. */
export function withUnknownCalls(systemPrompt: string, calls: readonly UnknownCall[]): string {
  if (calls.length === 0) return systemPrompt;
  const lines = calls.map(({ name, at }) => `- ${name}, interrupted at ${isoTime(at)}`);
  return `${systemPrompt}\n\n${HEADING}\n${lines.join("\n")}`;
}
