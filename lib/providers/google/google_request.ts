import { clampTemperature, parseCallArguments } from "../message_parts.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from "../model.ts";
import { asObject } from "../stream_json.ts";
import { isGeneratedCallId } from "../response_accumulator.ts";

const MAX_TEMPERATURE = 2;

/** Stands where the vendor demands words and there are none. */
const EMPTY_TEXT = "(no text)";

/** What the vendor documents to be sent in place of the signature of a call that it did not make. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

interface Content {
  role: "user" | "model";
  parts: unknown[];
}

/** A request as `streamGenerateContent` wants it. */
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

/** Turns alternate and begin with the user; all results of one step belong in one turn. */
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
    contents.unshift({ role: "user", parts: [textPart(EMPTY_TEXT)] });
  }
  return contents;
}

function toParts(message: ModelMessage): unknown[] {
  switch (message.role) {
    case "user":
      return [textPart(message.content === "" ? EMPTY_TEXT : message.content)];
    case "assistant": {
      const said = message.content === "" ? [] : [textPart(message.content)];
      return [...said, ...signedCalls(message).map(toFunctionCall)];
    }
    case "tool":
      return [{
        functionResponse: {
          ...callId(message.callId),
          name: message.name,
          // Only an object may be answered.
          response: asObject(message.output) ?? { output: message.output ?? null },
        },
      }];
    default:
      return message satisfies never;
  }
}

function textPart(words: string): unknown {
  return { text: words };
}

/** The first call of a step must be signed; those beside it need not, whoever made them. */
function signedCalls(
  { toolCalls = [], fromOtherModel }: AssistantMessage,
): readonly ModelToolCall[] {
  const [first, ...others] = toolCalls;
  if (first === undefined || !fromOtherModel) return toolCalls;
  return [{ providerMetadata: FOREIGN_SIGNATURE, ...first }, ...others];
}

/** Newer models refuse a call that comes back without the signature it was made with. */
function toFunctionCall(call: ModelToolCall): unknown {
  return {
    functionCall: { ...callId(call.id), name: call.name, args: parseCallArguments(call) },
    ...(call.providerMetadata === undefined ? {} : { thoughtSignature: call.providerMetadata }),
  };
}

/** Not every model gives its calls an id, and one it did not give it does not want back. */
function callId(id: string): { id?: string } {
  return isGeneratedCallId(id) ? {} : { id };
}

/** `parametersJsonSchema` takes JSON Schema as it is, `parameters` only a subset; neither `$schema`. */
function toFunctionDeclaration({ name, description, parameters }: ModelTool): unknown {
  const { $schema: _dialect, ...schema } = parameters;
  return { name, description, parametersJsonSchema: schema };
}
