import { clampTemperature, parseCallArguments, toolOutputText } from "../message_parts.ts";
import { normalizeCallIds } from "../normalize_call_ids.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from "../model.ts";
import type { PositionedThinking } from "./thinking_collector.ts";

const MAX_TEMPERATURE = 1;
/** Ids of calls that it takes; each must be the only one of its kind. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** Stands where the vendor demands words and there are none, or a question and there was none. */
const EMPTY_TEXT = "(no text)";

interface Message {
  role: "user" | "assistant";
  content: unknown[];
}

/** A request as Messages wants it. */
export function toAnthropicRequest(request: ModelRequest): unknown {
  const { model, system, tools, temperature, maxOutputTokens } = request;
  return {
    model,
    system,
    messages: toMessages(normalizeCallIds(request.messages, CALL_ID)),
    max_tokens: maxOutputTokens,
    stream: true,
    ...clampTemperature(temperature, MAX_TEMPERATURE),
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
  };
}

/** Turns alternate and begin with the user; all results of one step belong in one turn. */
function toMessages(messages: readonly ModelMessage[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = toBlocks(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  if (turns[0]?.role === "assistant") {
    turns.unshift({ role: "user", content: [textBlock(EMPTY_TEXT)] });
  }
  return turns;
}

function toBlocks(message: ModelMessage): unknown[] {
  switch (message.role) {
    case "user":
      return [textBlock(message.content.trim() === "" ? EMPTY_TEXT : message.content)];
    case "assistant":
      return toAssistantBlocks(message);
    case "tool":
      return [{
        type: "tool_result",
        tool_use_id: message.callId,
        content: toolOutputText(message.output),
      }];
    default:
      return message satisfies never;
  }
}

/** A turn in the order it was said in: its thinking must come back where it stood. */
function toAssistantBlocks(
  { content, toolCalls = [], providerMetadata }: AssistantMessage,
): unknown[] {
  // Only what this protocol's decoder kept comes here: it goes to nobody else.
  const thoughts = (providerMetadata ?? []) as readonly PositionedThinking[];
  const blocks: unknown[] = [];
  let [text, calls] = [0, 0];
  for (const { block, textBefore, callsBefore } of thoughts) {
    blocks.push(...toTextBlocks(content.slice(text, textBefore)));
    blocks.push(...toolCalls.slice(calls, callsBefore).map(toToolUse), block);
    [text, calls] = [textBefore, callsBefore];
  }
  return [
    ...blocks,
    ...toTextBlocks(content.slice(text)),
    ...toolCalls.slice(calls).map(toToolUse),
  ];
}

function toTextBlocks(words: string): unknown[] {
  return words.trim() === "" ? [] : [textBlock(words)];
}

function textBlock(words: string): unknown {
  return { type: "text", text: words };
}

function toToolUse(call: ModelToolCall): unknown {
  return { type: "tool_use", id: call.id, name: call.name, input: parseCallArguments(call) };
}

function toTool({ name, description, parameters }: ModelTool): unknown {
  return { name, description, input_schema: { type: "object", ...parameters } };
}
