import { SEARCH_KNOWLEDGE } from "../../agent/tools/search_knowledge_tool.ts";
import { SUGGEST_FOLLOW_UPS } from "../../agent/tools/suggest_follow_ups_tool.ts";
import { isJsonObject } from "../../platform/json.ts";
import { isoTime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { Frame, FrameOf } from "../../schemas/frames.ts";
import { isRemoteTool, isRepeatable } from "../../schemas/tool_definition.ts";
import {
  conversationHeadSchema,
  conversationName,
  type InterruptedCall,
} from "../../store/conversations/conversation_record.ts";
import { keys } from "../../store/keys/keys.ts";
import type { KvReader } from "../../store/tx/read_transaction.ts";
import { parseRecord } from "../../store/values/record.ts";
import type { MessagePlace } from "../handoff/conversation_handoffs.ts";

const HEADING = "# Tool calls of interrupted answers\n" +
  "Earlier answers in this conversation were interrupted after the following tools had been called; " +
  "the user has not seen what came of it. Do not simply make a call again. If its outcome is " +
  "unknown, it may or may not have taken effect: find out first, with another tool or by asking the " +
  "user, and say that you do not know.";

const OUTCOME_UNKNOWN = "tool_outcome_unknown";

/** After these errors a call may still have taken effect. */
const UNKNOWN: ReadonlySet<unknown> = new Set([
  OUTCOME_UNKNOWN,
  "tool_timeout",
  "tool_unreachable",
  "tool_response_too_large",
]);

/** Tools of the service that change nothing. */
const READ_ONLY: ReadonlySet<string> = new Set([SEARCH_KNOWLEDGE, SUGGEST_FOLLOW_UPS]);

/**
 * The calls of an interrupted run without a result, the latest first, with their numbers. There is one at
 * most, and the question that its server was asking.
 */
export function findOpenCalls(
  frames: readonly Frame[],
): { n: number; call: FrameOf<"tool_call"> }[] {
  const open: { n: number; call: FrameOf<"tool_call"> }[] = [];
  for (const [i, frame] of frames.entries()) {
    if (frame.type === "tool_call") open.unshift({ n: i + 1, call: frame });
    if (frame.type !== "tool_result") continue;
    const at = frame.call === undefined ? 0 : open.findIndex(({ n }) => n === frame.call);
    open.splice(at, 1);
  }
  return open;
}

/**
 * The calls of an interrupted run that the model must be informed of: those that were made, and those
 * whose outcome is unknown. Calls that were rejected have had no effect.
 */
export function interruptedCallsOf(frames: readonly Frame[], at: number): InterruptedCall[] {
  const questions = new Set<number>();
  let open = 0;
  return frames.flatMap((frame, i): InterruptedCall[] => {
    // A call during another one is the question of its server; a tool may have the same name.
    if (frame.type === "tool_call" && open++ > 0) questions.add(i + 1);
    if (frame.type !== "tool_result") return [];
    open--;
    const { name, output, call = 0 } = frame;
    if (READ_ONLY.has(name) || questions.has(call)) return [];
    const error = isJsonObject(output) && isJsonObject(output.error) ? output.error : undefined;
    if (error === undefined) return [{ name, at, done: true }];
    return UNKNOWN.has(error.code) ? [{ name, at }] : [];
  });
}

/** The result of a call whose process died. */
export function resultOfOpenCall(
  { name }: FrameOf<"tool_call">,
  { n, wasMade }: { n: number; wasMade: boolean },
): FrameOf<"tool_result"> {
  const error = wasMade
    ? {
      code: OUTCOME_UNKNOWN,
      message: "the answer was interrupted during the call; whether it took effect is not known",
    }
    : {
      code: "tool_not_approved_in_time",
      message: "the answer was interrupted before anybody agreed to the call; it was not made",
    };
  return { type: "tool_result", name, output: { error }, call: n };
}

/**
 * The calls of interrupted runs in a message's conversation. Nothing is read for an agent whose tools
 * have no effects, and at the start of a conversation.
 */
export async function findInterruptedCalls(
  { tenant, agent, conversationId: id, origin, visitor }: MessagePlace & {
    agent: Pick<Agent, "tools">;
  },
  reader: KvReader,
): Promise<readonly InterruptedCall[]> {
  if (id === undefined || !agent.tools.some(mayHaveEffects)) return [];
  const name = await conversationName(id, { tenant, agentId: agent.id, origin, visitor });
  const head = parseRecord(conversationHeadSchema, await reader.get(keys.conversation(name)));
  const calls = head !== undefined && "id" in head ? head.interruptedCalls ?? [] : [];
  const harmless = new Set(agent.tools.filter((one) => !mayHaveEffects(one)).map(nameOf));
  return calls.filter(({ name }) => !harmless.has(name));
}

function nameOf({ name }: Agent["tools"][number]): string {
  return name;
}

function mayHaveEffects(tool: Agent["tools"][number]): boolean {
  return !isRemoteTool(tool) || !isRepeatable(tool);
}

/** A system prompt with the calls of interrupted runs: only the service writes the system prompt. */
export function withInterruptedCalls(
  systemPrompt: string,
  calls: readonly InterruptedCall[],
): string {
  if (calls.length === 0) return systemPrompt;
  const lines = calls.map(({ name, at, done }) =>
    `- ${name}, before ${isoTime(at)}: ${done ? "succeeded" : "outcome unknown"}`
  );
  return `${systemPrompt}\n\n${HEADING}\n${lines.join("\n")}`;
}
