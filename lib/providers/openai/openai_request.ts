import { clampTemperature, parseCallArguments, toolOutputText } from "../message_parts.ts";
import { normalizeCallIds } from "../normalize_call_ids.ts";
import type { AssistantMessage, ModelMessage, ModelTool, ModelToolCall } from "../model.ts";
import type { ErrorResponse, RequestBuilder } from "../protocol.ts";
import type { TemperatureFallback } from "../temperature_fallback.ts";
import { nextDialect, type OpenaiDialect, type OpenaiDialects } from "./openai_dialect.ts";

const MAX_TEMPERATURE = 2;
/** The vendor's own API takes ids of at most 40 characters, whatever they are. */
const CALL_ID = /^[\x21-\x7e]{1,40}$/;

/** A request as Chat Completions wants it, in the dialect that the server understands. */
export class OpenaiRequestBuilder implements RequestBuilder {
  readonly path = "/chat/completions";
  readonly #request: TemperatureFallback;
  readonly #dialects: OpenaiDialects;
  readonly #initial: OpenaiDialect;
  #dialect: OpenaiDialect;

  constructor(request: TemperatureFallback, dialects: OpenaiDialects) {
    this.#request = request;
    this.#dialects = dialects;
    this.#initial = dialects.get(request.current.model);
    this.#dialect = this.#initial;
  }

  body(): unknown {
    const { model, system, messages, tools, temperature, maxOutputTokens } = this.#request.current;
    const { limitField, requestsUsage, returnsReasoning } = this.#dialect;
    return {
      model,
      messages: [
        { role: "system", content: system },
        ...normalizeCallIds(messages, CALL_ID).map((message) =>
          toMessage(message, returnsReasoning)
        ),
      ],
      stream: true,
      ...(requestsUsage ? { stream_options: { include_usage: true } } : {}),
      [limitField]: maxOutputTokens,
      ...clampTemperature(temperature, MAX_TEMPERATURE),
      ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
    };
  }

  adaptTo(refusal: ErrorResponse): boolean {
    if (this.#request.adaptTo(refusal)) return true;
    const other = nextDialect(this.#dialect, refusal);
    if (other === undefined) return false;
    // A server that takes neither field is not asked with the first once more.
    const { limitField } = this.#initial;
    if (other.limitField === limitField && this.#dialect.limitField !== limitField) return false;
    this.#dialect = other;
    return true;
  }

  onAccepted(): void {
    this.#request.onAccepted();
    this.#dialects.learn(this.#request.current.model, this.#dialect);
  }
}

type ReturnsReasoning = OpenaiDialect["returnsReasoning"];

function toMessage(message: ModelMessage, returnsReasoning: ReturnsReasoning): unknown {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content };
    case "assistant":
      return toAssistantMessage(message, returnsReasoning);
    case "tool":
      return {
        role: "tool",
        tool_call_id: message.callId,
        content: toolOutputText(message.output),
      };
    default:
      return message satisfies never;
  }
}

function toAssistantMessage(
  { content, toolCalls = [], providerMetadata }: AssistantMessage,
  returnsReasoning: ReturnsReasoning,
): unknown {
  if (toolCalls.length === 0) return { role: "assistant", content };
  return {
    role: "assistant",
    content: content === "" ? null : content,
    ...reasoningField(providerMetadata, returnsReasoning),
    tool_calls: toolCalls.map(toToolCall),
  };
}

/** What this server's model thought before its calls; nothing of another's ever comes here. */
function reasoningField(
  opaque: unknown,
  returnsReasoning: ReturnsReasoning,
): { reasoning_content?: string } {
  if (returnsReasoning === "never") return {};
  if (typeof opaque === "string") return { reasoning_content: opaque };
  return returnsReasoning === "always" ? { reasoning_content: "" } : {};
}

function toToolCall(call: ModelToolCall): unknown {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(parseCallArguments(call)) },
    ...(call.providerMetadata === undefined ? {} : { extra_content: call.providerMetadata }),
  };
}

/** An object schema without `properties` is refused, though a tool may well take nothing. */
function toTool({ name, description, parameters }: ModelTool): unknown {
  return {
    type: "function",
    function: { name, description, parameters: { properties: {}, ...parameters } },
  };
}
