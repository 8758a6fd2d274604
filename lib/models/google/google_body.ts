import { callArguments, clampTemperature } from "../call_arguments.ts";
import type {
  AssistantMessage,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from "../model.ts";
import { asObject } from "../stream_json.ts";
import { isOwnCallId } from "../turn.ts";

const HIGHEST_TEMPERATURE = 2;

/** Stands where the vendor demands words and there are none. */
const NO_WORDS = "(no text)";

/** What the vendor documents to be sent in place of the signature of a call that it did not make. */
const FOREIGN_SIGNATURE = "skip_thought_signature_validator";

interface Content {
  role: "user" | "model";
  parts: unknown[];
}

/** A request as `streamGenerateContent` wants it. */
export function googleBody(request: ModelRequest): unknown {
  const { system, tools, temperature, maxOutputTokens } = request;
  return {
    systemInstruction: { parts: [{ text: system }] },
    contents: asContents(request.messages),
    generationConfig: { maxOutputTokens, ...clampTemperature(temperature, HIGHEST_TEMPERATURE) },
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(asTool) }] } : {}),
  };
}

/** Turns alternate and begin with the user; all results of one step belong in one turn. */
function asContents(messages: readonly ModelMessage[]): Content[] {
  const contents: Content[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = asParts(message);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) contents.push({ role, parts });
  }
  if (contents[0]?.role === "model") contents.unshift({ role: "user", parts: [text(NO_WORDS)] });
  return contents;
}

function asParts(message: ModelMessage): unknown[] {
  switch (message.role) {
    case "user":
      return [text(message.content === "" ? NO_WORDS : message.content)];
    case "assistant": {
      const said = message.content === "" ? [] : [text(message.content)];
      return [...said, ...callsOf(message).map(asFunctionCall)];
    }
    case "tool":
      return [{
        functionResponse: {
          ...idOf(message.callId),
          name: message.name,
          // Only an object may be answered.
          response: asObject(message.output) ?? { output: message.output ?? null },
        },
      }];
    default:
      return message satisfies never;
  }
}

function text(words: string): unknown {
  return { text: words };
}

/** The first call of a step must be signed; those beside it need not, whoever made them. */
function callsOf({ toolCalls = [], foreign }: AssistantMessage): readonly ModelToolCall[] {
  const [first, ...others] = toolCalls;
  if (first === undefined || !foreign) return toolCalls;
  return [{ opaque: FOREIGN_SIGNATURE, ...first }, ...others];
}

/** Newer models refuse a call that comes back without the signature it was made with. */
function asFunctionCall(call: ModelToolCall): unknown {
  return {
    functionCall: { ...idOf(call.id), name: call.name, args: callArguments(call) },
    ...(call.opaque === undefined ? {} : { thoughtSignature: call.opaque }),
  };
}

/** Not every model gives its calls an id, and one it did not give it does not want back. */
function idOf(id: string): { id?: string } {
  return isOwnCallId(id) ? {} : { id };
}

/** `parametersJsonSchema` takes JSON Schema as it is, `parameters` only a subset; neither `$schema`. */
function asTool({ name, description, parameters }: ModelTool): unknown {
  const { $schema: _dialect, ...schema } = parameters;
  return { name, description, parametersJsonSchema: schema };
}
