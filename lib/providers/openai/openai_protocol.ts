import {
  clampTemperature,
  imagesOf,
  parseCallArguments,
  toolOutputText,
} from "../message_parts.ts";
import type {
  AssistantMessage,
  ImageContents,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  UserMessage,
} from "../model.ts";
import { type AdaptedRequest, FieldFallback } from "../field_fallback.ts";
import { KnownAdaptations } from "../known_adaptations.ts";
import { normalizeCallIds } from "../normalize_call_ids.ts";
import type { ErrorResponse, ProviderProtocol, RequestBuilder } from "../protocol.ts";
import { systemWithSchema } from "../schema_words.ts";
import { OpenaiDecoder } from "./openai_decoder.ts";
import { nextDialect, type OpenaiDialect, OpenaiDialects } from "./openai_dialect.ts";
import { REASONING_FORMS, reasoningFields, responseFormat } from "./openai_settings.ts";

const MAX_TEMPERATURE = 2;
/** OpenAI accepts any call id of at most 40 characters. */
const CALL_ID = /^[\x21-\x7e]{1,40}$/;

/** Chat Completions, streamed: the protocol of most compatible servers. */
export function openaiProtocol(baseUrl: string): ProviderProtocol {
  const dialects = new OpenaiDialects(baseUrl);
  const known = new KnownAdaptations();
  return {
    // Local servers need no key.
    headers: (apiKey) => apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
    createRequest: (request) => new OpenaiRequestBuilder(request, { dialects, known }),
    // Quotes within a quoted prompt are escaped, so only the provider's own field matches.
    isContentFilter: ({ status, errorBody = "" }) =>
      status === 400 && /"code"\s*:\s*"content_filter"/.test(errorBody),
    createDecoder: (response) => new OpenaiDecoder(response),
  };
}

/** Builds a Chat Completions request in the dialect of the server. */
class OpenaiRequestBuilder implements RequestBuilder {
  readonly path = "/chat/completions";
  readonly #model: string;
  readonly #fields: FieldFallback;
  readonly #dialects: OpenaiDialects;
  readonly #initial: OpenaiDialect;
  #dialect: OpenaiDialect;

  constructor(
    request: ModelRequest,
    { dialects, known }: { dialects: OpenaiDialects; known: KnownAdaptations },
  ) {
    this.#model = request.model;
    this.#fields = new FieldFallback(request, {
      path: this.path,
      toBody: (current) => toBody(current, this.#dialect),
      known,
      reasoningForms: REASONING_FORMS,
    });
    this.#dialects = dialects;
    this.#initial = dialects.get(request.model);
    this.#dialect = this.#initial;
  }

  body(): unknown {
    return this.#fields.body();
  }

  adaptTo(error: ErrorResponse): boolean {
    if (this.#fields.adaptTo(error)) return true;
    const next = nextDialect(this.#dialect, error);
    if (next === undefined) return false;
    // A server that rejects both limit fields does not get the first one again.
    const { limitField } = this.#initial;
    if (next.limitField === limitField && this.#dialect.limitField !== limitField) return false;
    this.#dialect = next;
    return true;
  }

  onAccepted(): void {
    this.#fields.onAccepted();
    this.#dialects.learn(this.#model, this.#dialect);
  }
}

type ReturnsReasoning = OpenaiDialect["returnsReasoning"];

function toBody(
  request: AdaptedRequest,
  { limitField, requestsUsage, returnsReasoning }: OpenaiDialect,
): unknown {
  const { model, messages, images, tools, temperature, topP, stopSequences: stop } = request;
  return {
    model,
    messages: [
      { role: "system", content: systemWithSchema(request) },
      ...normalizeCallIds(messages, CALL_ID).map((message) =>
        toMessage(message, { returnsReasoning, images })
      ),
    ],
    stream: true,
    ...(requestsUsage ? { stream_options: { include_usage: true } } : {}),
    [limitField]: request.maxOutputTokens,
    ...clampTemperature(temperature, MAX_TEMPERATURE),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop === undefined ? {} : { stop }),
    ...reasoningFields(request),
    ...responseFormat(request),
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
    ...(tools.length > 0 && request.toolChoice ? { tool_choice: request.toolChoice } : {}),
  };
}

function toMessage(
  message: ModelMessage,
  { returnsReasoning, images }: {
    returnsReasoning: ReturnsReasoning;
    images: ImageContents | undefined;
  },
): unknown {
  switch (message.role) {
    case "user":
      return { role: "user", content: toUserContent(message, images) };
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

/** A message without images stays text: not every compatible server takes parts. */
function toUserContent(message: UserMessage, contents: ImageContents | undefined): unknown {
  const images = imagesOf(message, contents);
  if (images.length === 0) return message.content;
  return [
    { type: "text", text: message.content },
    ...images.map(({ mediaType, base64 }) => ({
      type: "image_url",
      image_url: { url: `data:${mediaType};base64,${base64}` },
    })),
  ];
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

/** The reasoning of this server's model; the metadata of other providers is already removed. */
function reasoningField(
  reasoning: unknown,
  returnsReasoning: ReturnsReasoning,
): { reasoning_content?: string } {
  if (returnsReasoning === "never") return {};
  if (typeof reasoning === "string") return { reasoning_content: reasoning };
  return returnsReasoning === "always" ? { reasoning_content: "" } : {};
}

function toToolCall(call: ModelToolCall): unknown {
  const { id, name, providerMetadata } = call;
  return {
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(parseCallArguments(call)) },
    ...(providerMetadata === undefined ? {} : { extra_content: providerMetadata }),
  };
}

/** The API rejects an object schema without `properties`, which a tool may have. */
function toTool({ name, description, parameters }: ModelTool): unknown {
  return {
    type: "function",
    function: { name, description, parameters: { properties: {}, ...parameters } },
  };
}
