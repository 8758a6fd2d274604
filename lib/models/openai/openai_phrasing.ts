import { callArguments, clampTemperature, outputText } from "../call_arguments.ts";
import { withCallIds } from "../call_ids.ts";
import type { AssistantMessage, ModelMessage, ModelTool, ModelToolCall } from "../model.ts";
import type { Phrasing, Refusal } from "../protocol.ts";
import type { TemperedRequest } from "../tempered_request.ts";
import { type OpenaiDialect, type OpenaiDialects, otherDialect } from "./openai_dialect.ts";

const HIGHEST_TEMPERATURE = 2;
/** The vendor's own API takes ids of at most 40 characters, whatever they are. */
const CALL_ID = /^[\x21-\x7e]{1,40}$/;

/** A request as Chat Completions wants it, in the dialect that the server understands. */
export class OpenaiPhrasing implements Phrasing {
  readonly path = "/chat/completions";
  readonly #request: TemperedRequest;
  readonly #dialects: OpenaiDialects;
  readonly #first: OpenaiDialect;
  #dialect: OpenaiDialect;

  constructor(request: TemperedRequest, dialects: OpenaiDialects) {
    this.#request = request;
    this.#dialects = dialects;
    this.#first = dialects.of(request.current.model);
    this.#dialect = this.#first;
  }

  body(): unknown {
    const { model, system, messages, tools, temperature, maxOutputTokens } = this.#request.current;
    const { limitField, asksForUsage, returnsReasoning } = this.#dialect;
    return {
      model,
      messages: [
        { role: "system", content: system },
        ...withCallIds(messages, CALL_ID).map((message) => asMessage(message, returnsReasoning)),
      ],
      stream: true,
      ...(asksForUsage ? { stream_options: { include_usage: true } } : {}),
      [limitField]: maxOutputTokens,
      ...clampTemperature(temperature, HIGHEST_TEMPERATURE),
      ...(tools.length > 0 ? { tools: tools.map(asTool) } : {}),
    };
  }

  rejected(refusal: Refusal): boolean {
    if (this.#request.rejected(refusal)) return true;
    const other = otherDialect(this.#dialect, refusal);
    if (other === undefined) return false;
    // A server that takes neither field is not asked with the first once more.
    const { limitField } = this.#first;
    if (other.limitField === limitField && this.#dialect.limitField !== limitField) return false;
    this.#dialect = other;
    return true;
  }

  accepted(): void {
    this.#request.accepted();
    this.#dialects.learn(this.#request.current.model, this.#dialect);
  }
}

type ReturnsReasoning = OpenaiDialect["returnsReasoning"];

function asMessage(message: ModelMessage, returnsReasoning: ReturnsReasoning): unknown {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content };
    case "assistant":
      return asAssistantMessage(message, returnsReasoning);
    case "tool":
      return {
        role: "tool",
        tool_call_id: message.callId,
        content: outputText(message.output),
      };
    default:
      return message satisfies never;
  }
}

function asAssistantMessage(
  { content, toolCalls = [], opaque }: AssistantMessage,
  returnsReasoning: ReturnsReasoning,
): unknown {
  if (toolCalls.length === 0) return { role: "assistant", content };
  return {
    role: "assistant",
    content: content === "" ? null : content,
    ...reasoningOf(opaque, returnsReasoning),
    tool_calls: toolCalls.map(asToolCall),
  };
}

/** What this server's model thought before its calls; nothing of another's ever comes here. */
function reasoningOf(
  opaque: unknown,
  returnsReasoning: ReturnsReasoning,
): { reasoning_content?: string } {
  if (returnsReasoning === "never") return {};
  if (typeof opaque === "string") return { reasoning_content: opaque };
  return returnsReasoning === "always" ? { reasoning_content: "" } : {};
}

function asToolCall(call: ModelToolCall): unknown {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(callArguments(call)) },
    ...(call.opaque === undefined ? {} : { extra_content: call.opaque }),
  };
}

/** An object schema without `properties` is refused, though a tool may well take nothing. */
function asTool({ name, description, parameters }: ModelTool): unknown {
  return {
    type: "function",
    function: { name, description, parameters: { properties: {}, ...parameters } },
  };
}
