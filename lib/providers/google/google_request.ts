import { clampTemperature, parseCallArguments } from "../message_parts.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from "../model.ts";
import { isGeneratedCallId } from "../response_accumulator.ts";
import { asObject } from "../stream_json.ts";

const MAX_TEMPERATURE = 2;
/** Replaces empty text, which the API rejects. */
const EMPTY_TEXT = "(no text)";
/** Documented replacement for the signature of a call that another model made. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

interface Content {
  role: "user" | "model";
  parts: unknown[];
}

/** The body of a `streamGenerateContent` request. */
export function toGoogleRequest(request: ModelRequest): unknown {
  const { system, tools, temperature, maxOutputTokens } = request;
  return {
    systemInstruction: { parts: [{ text: system }] },
    contents: toContents(request.messages),
    generationConfig: { maxOutputTokens, ...clampTemperature(temperature, MAX_TEMPERATURE) },
    ...(tools.length > 0
      ? { tools: [{ functionDeclarations: tools.map(toFunctionDeclaration) }] }
      : {}),
  };
}

/** Roles alternate, the user begins, and all results of one step share a content. */
function toContents(messages: readonly ModelMessage[]): Content[] {
  const contents: Content[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = toParts(message);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  if (contents[0]?.role === "model") {
    contents.unshift({ role: "user", parts: [{ text: EMPTY_TEXT }] });
  }
  return contents;
}

function toParts(message: ModelMessage): unknown[] {
  switch (message.role) {
    case "user":
      return [{ text: message.content === "" ? EMPTY_TEXT : message.content }];
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

/** The first call of a step must be signed, whoever made it. */
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
