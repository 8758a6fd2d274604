import {
  type ScriptedCall,
  scriptEnd,
  scriptUsage,
  type Wire,
  type WireOptions,
} from "./script.ts";

const REASONS = {
  stop: "STOP",
  length: "MAX_TOKENS",
  filter: "SAFETY",
  refusal: "PROHIBITED_CONTENT",
  // This provider reports STOP for tool calls.
  calls: "STOP",
  none: undefined,
} as const;

const ERRORS = {
  overloaded: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" },
  rate_limit: { code: 429, message: "Resource exhausted.", status: "RESOURCE_EXHAUSTED" },
  timeout: { code: 504, message: "Deadline expired.", status: "DEADLINE_EXCEEDED" },
  invalid: { code: 400, message: "Invalid argument.", status: "INVALID_ARGUMENT" },
} as const;

/** `GenerateContentResponse` events; only the finish reason marks the last one. */
export class GoogleWire implements Wire {
  readonly #options: WireOptions;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  begin(): string[] {
    return [];
  }

  say(say: Parameters<Wire["say"]>[0]): string[] {
    if ("text" in say) return [this.#response([{ text: say.text }])];
    if ("thought" in say) return [this.#response([{ text: say.thought, thought: true }])];
    if ("calls" in say) return [this.#response(say.calls.map(asPart))];
    if ("error" in say) return [data({ error: ERRORS[say.error] })];
    return [": ping\n\n"];
  }

  end(): string[] {
    return [this.#response([{ text: "" }], REASONS[scriptEnd(this.#options.script)])];
  }

  #response(parts: unknown[], finishReason?: string): string {
    const usage = scriptUsage(this.#options.script);
    const isLast = finishReason !== undefined;
    return data({
      candidates: [{
        content: { parts, role: "model" },
        ...(isLast ? { finishReason } : {}),
        index: 0,
      }],
      ...(usage === undefined ? {} : {
        usageMetadata: {
          promptTokenCount: usage.input,
          ...(usage.cached === undefined ? {} : { cachedContentTokenCount: usage.cached }),
          ...(isLast ? outputCounts(usage) : {}),
          promptTokensDetails: [{ modality: "TEXT", tokenCount: usage.input }],
        },
      }),
      modelVersion: this.#options.model,
      responseId: "mAitaLmkHPPlz7IPvtfUqQ4",
    });
  }
}

/** Thought tokens are counted in addition to candidate tokens. */
function outputCounts(
  { input, output, reasoning = 0 }: NonNullable<ReturnType<typeof scriptUsage>>,
) {
  const candidates = reasoning === 0 ? output : Number(output) - reasoning;
  return {
    candidatesTokenCount: candidates,
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    totalTokenCount: Number(input) + Number(output),
  };
}

/** Arguments are sent in one piece. */
function asPart({ id, name, args, signature }: ScriptedCall): unknown {
  const text = args.join("");
  return {
    functionCall: { ...(id === undefined ? {} : { id }), name, args: JSON.parse(text || "{}") },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  };
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
