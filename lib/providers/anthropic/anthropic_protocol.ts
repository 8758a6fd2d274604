import {
  imagesOf,
  parseCallArguments,
  toAlternatingMessages,
  toolOutputText,
} from "../message_parts.ts";
import type {
  AssistantMessage,
  ImageContents,
  ModelMessage,
  ModelTool,
  ModelToolCall,
} from "../model.ts";
import { type AdaptedRequest, FieldFallback } from "../field_fallback.ts";
import { KnownAdaptations } from "../known_adaptations.ts";
import { normalizeCallIds } from "../normalize_call_ids.ts";
import type { ProviderProtocol } from "../protocol.ts";
import { systemWithSchema } from "../schema_words.ts";
import { AnthropicDecoder } from "./anthropic_decoder.ts";
import { REASONING_FORMS, settingsFields } from "./anthropic_settings.ts";
import { markCacheBreakpoints } from "./cache_breakpoints.ts";
import type { PositionedThinking } from "./thinking_collector.ts";

/** Call ids that the API accepts; each must be unique. */
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;
/** Replaces empty text, and the missing first user message, which the API rejects. */
const EMPTY_TEXT = "(no text)";
const API_VERSION = "2023-06-01";

/** The Messages API, streamed. */
export function anthropicProtocol(): ProviderProtocol {
  const known = new KnownAdaptations();
  return {
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": API_VERSION }),
    createRequest: (request) =>
      new FieldFallback(request, {
        path: "/messages",
        toBody: toAnthropicRequest,
        known,
        reasoningForms: REASONING_FORMS,
      }),
    createDecoder: (response) => new AnthropicDecoder(response),
  };
}

function toAnthropicRequest(request: AdaptedRequest): unknown {
  const { model, tools, toolChoice, maxOutputTokens } = request;
  const messages = normalizeCallIds(request.messages, CALL_ID);
  const emptyPart = textBlock(EMPTY_TEXT);
  const toParts = (message: ModelMessage) => toBlocks(message, request.images);
  const turns = toAlternatingMessages(messages, { toParts, emptyPart });
  const prompt = {
    system: systemWithSchema(request),
    messages: turns.map(({ isModel, parts }) => ({
      role: isModel ? "assistant" : "user",
      content: parts as Block[],
    })),
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
    ...(tools.length > 0 && toolChoice ? { tool_choice: { type: toolChoice } } : {}),
  };
  // A run's last step has a system prompt of its own, and its choice of tools discards what was cached.
  const isContinued = toolChoice !== "none";
  return {
    model,
    ...(request.cachesPrompt ? markCacheBreakpoints(prompt, { model, isContinued }) : prompt),
    max_tokens: maxOutputTokens,
    stream: true,
    ...settingsFields(request),
  };
}

type Block = Record<string, unknown>;

function toBlocks(message: ModelMessage, images: ImageContents | undefined): unknown[] {
  switch (message.role) {
    case "user":
      return [
        // Models answer better if an image precedes the question about it.
        ...imagesOf(message, images).map(({ mediaType, base64 }) => ({
          type: "image",
          source: { type: "base64", media_type: mediaType, data: base64 },
        })),
        textBlock(message.content.trim() === "" ? EMPTY_TEXT : message.content),
      ];
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

/** Thinking blocks must come back at their original position. */
function toAssistantBlocks(message: AssistantMessage): unknown[] {
  const { content, toolCalls = [], providerMetadata } = message;
  // Only this protocol's decoder creates the metadata that arrives here.
  const thinking = (providerMetadata ?? []) as readonly PositionedThinking[];
  const blocks: unknown[] = [];
  let [text, calls] = [0, 0];
  for (const { block, textBefore, callsBefore } of thinking) {
    blocks.push(...toTextBlocks(content.slice(text, textBefore)));
    blocks.push(...toolCalls.slice(calls, callsBefore).map(toToolUse), block);
    [text, calls] = [textBefore, callsBefore];
  }
  const rest = toTextBlocks(content.slice(text));
  return [...blocks, ...rest, ...toolCalls.slice(calls).map(toToolUse)];
}

function toTextBlocks(text: string): unknown[] {
  return text.trim() === "" ? [] : [textBlock(text)];
}

function textBlock(text: string): unknown {
  return { type: "text", text };
}

function toToolUse(call: ModelToolCall): unknown {
  return { type: "tool_use", id: call.id, name: call.name, input: parseCallArguments(call) };
}

function toTool({ name, description, parameters }: ModelTool): Block {
  return { name, description, input_schema: { type: "object", ...parameters } };
}
