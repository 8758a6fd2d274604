import {
  type ScriptedCall,
  scriptEnd,
  scriptUsage,
  type Wire,
  type WireOptions,
} from "./script.ts";

const REASONS = {
  stop: "stop",
  length: "length",
  filter: "content_filter",
  refusal: "stop",
  calls: "tool_calls",
  none: null,
} as const;

const ERRORS = {
  overloaded: { message: "The engine is currently overloaded", type: "server_error", code: null },
  rate_limit: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" },
  timeout: { message: "Request timed out", type: "timeout", code: null },
  invalid: { message: "Invalid request", type: "invalid_request_error", code: null },
} as const;

/** `chat.completion.chunk` events. */
export class OpenaiWire implements Wire {
  readonly #options: WireOptions;
  #calls = 0;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  begin(): string[] {
    return [this.#choice({ role: "assistant", content: "", refusal: null })];
  }

  say(say: Parameters<Wire["say"]>[0]): string[] {
    if ("text" in say) return [this.#text(say.text)];
    if ("thought" in say) return [this.#choice({ reasoning_content: say.thought })];
    if ("calls" in say) return this.#say(say.calls);
    if ("error" in say) return [data({ error: { ...ERRORS[say.error], param: null } })];
    return [": ping\n\n"];
  }

  end(): string[] {
    const { script } = this.#options;
    const usage = scriptUsage(script);
    return [
      this.#choice({}, REASONS[scriptEnd(script)]),
      ...(usage === undefined ? [] : [this.#chunk([], {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: Number(usage.input) + Number(usage.output),
        prompt_tokens_details: { cached_tokens: usage.cached ?? 0, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: usage.reasoning ?? 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      })]),
      "data: [DONE]\n\n",
    ];
  }

  #text(content: string): string {
    const refuses = this.#options.script.end === "refusal";
    return this.#choice(refuses ? { refusal: content } : { content });
  }

  /** First the start of each call, then their pieces in turn. */
  #say(calls: readonly ScriptedCall[]): string[] {
    const first = this.#calls;
    this.#calls += calls.length;
    const starts = calls.map(({ id, name }, n) => ({
      index: first + n,
      ...(id === undefined ? {} : { id }),
      type: "function",
      function: { name, arguments: "" },
    }));
    const longest = Math.max(...calls.map(({ args }) => args.length));
    const pieces = Array.from(
      { length: longest },
      (_, at) =>
        calls.flatMap(({ args }, n) =>
          args[at] === undefined ? [] : [{ index: first + n, function: { arguments: args[at] } }]
        ),
    ).flat();
    return [...starts, ...pieces].map((piece) => this.#choice({ tool_calls: [piece] }));
  }

  #choice(delta: unknown, finish: string | null = null): string {
    return this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }], null);
  }

  #chunk(choices: unknown[], usage: unknown): string {
    return data({
      id: "chatcmpl-BMockVendorsAnswer0000001",
      object: "chat.completion.chunk",
      created: 1893456000,
      model: this.#options.model,
      service_tier: "default",
      system_fingerprint: "fp_44709d6fcb",
      choices,
      usage,
    });
  }
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
