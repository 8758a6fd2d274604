import { callArguments, clampTemperature, outputText } from "../call_arguments.ts";
import { withCallIds } from "../call_ids.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from "../model.ts";
import type { Thought } from "./thoughts.ts";

const HIGHEST_TEMPERATURE = 1;
/** Ids of calls that it takes; each must be the only one of its kind. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** Stands where the vendor demands words and there are none, or a question and there was none. */
const NO_WORDS = "(no text)";

interface Message {
  role: "user" | "assistant";
  content: unknown[];
}

/** A request as Messages wants it. */
export function anthropicBody(request: ModelRequest): unknown {
  const { model, system, tools, temperature, maxOutputTokens } = request;
  return {
    model,
    system,
    messages: asTurns(withCallIds(request.messages, CALL_ID)),
    max_tokens: maxOutputTokens,
    stream: true,
    ...clampTemperature(temperature, HIGHEST_TEMPERATURE),
    ...(tools.length > 0 ? { tools: tools.map(asTool) } : {}),
  };
}

/** Turns alternate and begin with the user; all results of one step belong in one turn. */
function asTurns(messages: readonly ModelMessage[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = asBlocks(message);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  if (turns[0]?.role === "assistant") turns.unshift({ role: "user", content: [text(NO_WORDS)] });
  return turns;
}

function asBlocks(message: ModelMessage): unknown[] {
  switch (message.role) {
    case "user":
      return [text(message.content.trim() === "" ? NO_WORDS : message.content)];
    case "assistant":
      return asSaid(message);
    case "tool":
      return [{
        type: "tool_result",
        tool_use_id: message.callId,
        content: outputText(message.output),
      }];
    default:
      return message satisfies never;
  }
}

/** A turn in the order it was said in: its thinking must come back where it stood. */
function asSaid({ content, toolCalls = [], opaque }: AssistantMessage): unknown[] {
  // Only what this protocol's decoder kept comes here: it goes to nobody else.
  const thoughts = (opaque ?? []) as readonly Thought[];
  const blocks: unknown[] = [];
  let [text, calls] = [0, 0];
  for (const { block, textBefore, callsBefore } of thoughts) {
    blocks.push(...asWords(content.slice(text, textBefore)));
    blocks.push(...toolCalls.slice(calls, callsBefore).map(asToolUse), block);
    [text, calls] = [textBefore, callsBefore];
  }
  return [...blocks, ...asWords(content.slice(text)), ...toolCalls.slice(calls).map(asToolUse)];
}

function asWords(words: string): unknown[] {
  return words.trim() === "" ? [] : [text(words)];
}

function text(words: string): unknown {
  return { type: "text", text: words };
}

function asToolUse(call: ModelToolCall): unknown {
  return { type: "tool_use", id: call.id, name: call.name, input: callArguments(call) };
}

function asTool({ name, description, parameters }: ModelTool): unknown {
  return { name, description, input_schema: { type: "object", ...parameters } };
}
