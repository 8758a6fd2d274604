import {
  clampTemperature,
  imagesOf,
  parseCallArguments,
  toAlternatingMessages,
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
import type { ProviderProtocol } from "../protocol.ts";
import { isGeneratedCallId } from "../response_accumulator.ts";
import { systemWithSchema } from "../schema_words.ts";
import { asObject } from "../stream_json.ts";
import { GoogleDecoder } from "./google_decoder.ts";
import { REASONING_FORMS, schemaConfig, thinkingConfig } from "./google_settings.ts";
import { modelPath } from "./model_path.ts";

const MAX_TEMPERATURE = 2;
/** Replaces empty text, which the API rejects. */
const EMPTY_TEXT = "(no text)";
/** Documented replacement for the signature of a call that another model made. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

/** `streamGenerateContent` with server-sent events. */
export function googleProtocol(): ProviderProtocol {
  const known = new KnownAdaptations();
  return {
    headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
    createRequest: (request) =>
      new FieldFallback(request, {
        path: `/${modelPath(request.model)}:streamGenerateContent?alt=sse`,
        toBody: toGoogleRequest,
        known,
        reasoningForms: REASONING_FORMS,
      }),
    createDecoder: (response) => new GoogleDecoder(response),
  };
}

function toGoogleRequest(request: AdaptedRequest): unknown {
  const { messages, tools, temperature, topP, stopSequences, maxOutputTokens } = request;
  const turns = toAlternatingMessages(messages, {
    toParts: (message) => toParts(message, request.images),
    emptyPart: { text: EMPTY_TEXT },
  });
  return {
    systemInstruction: { parts: [{ text: systemWithSchema(request) }] },
    contents: turns.map(({ isModel, parts }) => ({ role: isModel ? "model" : "user", parts })),
    generationConfig: {
      maxOutputTokens,
      ...clampTemperature(temperature, MAX_TEMPERATURE),
      ...(topP === undefined ? {} : { topP }),
      ...(stopSequences === undefined ? {} : { stopSequences }),
      ...thinkingConfig(request),
      ...schemaConfig(request),
    },
    ...(tools.length > 0
      ? { tools: [{ functionDeclarations: tools.map(toFunctionDeclaration) }] }
      : {}),
    ...(tools.length > 0 && request.toolChoice === "none"
      ? { toolConfig: { functionCallingConfig: { mode: "NONE" } } }
      : {}),
  };
}

function toParts(message: ModelMessage, images: ImageContents | undefined): unknown[] {
  switch (message.role) {
    case "user":
      return [
        // Models answer better if an image precedes the question about it.
        ...imagesOf(message, images).map(({ mediaType, base64 }) => ({
          inlineData: { mimeType: mediaType, data: base64 },
        })),
        { text: message.content === "" ? EMPTY_TEXT : message.content },
      ];
    case "assistant": {
      const text = message.content === "" ? [] : [{ text: message.content }];
      return [...text, ...signedCalls(message).map(toFunctionCall)];
    }
    case "tool":
      return [{
        functionResponse: {
          ...callId(message.callId),
          name: message.name,
          // The API accepts only objects.
          response: asObject(message.output) ?? { output: message.output ?? null },
        },
      }];
    default:
      return message satisfies never;
  }
}

/** The first call of a step must be signed, even if another model made it. */
function signedCalls({ toolCalls = [], fromOtherModel }: AssistantMessage): ModelToolCall[] {
  const [first, ...others] = toolCalls;
  if (first === undefined || !fromOtherModel) return toolCalls;
  return [{ providerMetadata: FOREIGN_SIGNATURE, ...first }, ...others];
}

/** Newer models reject a call that comes back without its signature. */
function toFunctionCall(call: ModelToolCall): unknown {
  const { id, name, providerMetadata } = call;
  return {
    functionCall: { ...callId(id), name, args: parseCallArguments(call) },
    ...(providerMetadata === undefined ? {} : { thoughtSignature: providerMetadata }),
  };
}

/** Models that send no call ids reject generated ones. */
function callId(id: string): { id?: string } {
  return isGeneratedCallId(id) ? {} : { id };
}

/** `parametersJsonSchema` accepts JSON Schema except `$schema`; `parameters` accepts only a subset. */
function toFunctionDeclaration({ name, description, parameters }: ModelTool): unknown {
  const { $schema: _dialect, ...schema } = parameters;
  return { name, description, parametersJsonSchema: schema };
}
