import {
  type ScriptedCall,
  scriptEnd,
  scriptUsage,
  type Wire,
  type WireOptions,
} from "./script.ts";

const REASONS = {
  stop: "end_turn",
  length: "max_tokens",
  filter: "refusal",
  refusal: "refusal",
  calls: "tool_use",
  none: null,
} as const;

const ERRORS = {
  overloaded: { type: "overloaded_error", message: "Overloaded" },
  rate_limit: { type: "rate_limit_error", message: "Rate limited" },
  timeout: { type: "timeout_error", message: "Request timed out" },
  invalid: { type: "invalid_request_error", message: "Invalid request" },
} as const;

/** Named events of one message, its content in numbered blocks. */
export class AnthropicWire implements Wire {
  readonly #options: WireOptions;
  #index = 0;
  #open: "text" | "thinking" | undefined;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  begin(): string[] {
    const usage = scriptUsage(this.#options.script);
    const message = {
      id: "msg_01MockVendorsAnswer00001",
      type: "message",
      role: "assistant",
      model: this.#options.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(usage === undefined ? {} : {
        usage: {
          input_tokens: usage.input,
          cache_creation_input_tokens: usage.written ?? 0,
          cache_read_input_tokens: usage.cached ?? 0,
          output_tokens: 1,
          service_tier: "standard",
        },
      }),
    };
    return [event("message_start", { message })];
  }

  say(say: Parameters<Wire["say"]>[0]): string[] {
    if ("text" in say) {
      return [...this.#block("text"), this.#delta({ type: "text_delta", text: say.text })];
    }
    if ("thought" in say) {
      const delta = this.#delta.bind(this);
      return [
        ...this.#block("thinking"),
        delta({ type: "thinking_delta", thinking: say.thought }),
        delta({ type: "signature_delta", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" }),
      ];
    }
    if ("calls" in say) {
      return [
        ...this.#block(undefined),
        ...say.calls.flatMap((c) => this.#call(c)),
      ];
    }
    if ("error" in say) return [event("error", { error: ERRORS[say.error] })];
    return [event("ping", {})];
  }

  end(): string[] {
    const { script } = this.#options;
    const usage = scriptUsage(script);
    const delta = { stop_reason: REASONS[scriptEnd(script)], stop_sequence: null };
    return [
      ...this.#block(undefined),
      event("message_delta", {
        delta,
        ...(usage === undefined ? {} : { usage: { output_tokens: usage.output } }),
      }),
      event("message_stop", {}),
    ];
  }

  /** Ends the open block if it is of another kind, and begins one of `kind`. */
  #block(kind: "text" | "thinking" | undefined): string[] {
    if (this.#open === kind) return [];
    const events: string[] = [];
    if (this.#open !== undefined) {
      events.push(event("content_block_stop", { index: this.#index }));
      this.#index++;
    }
    this.#open = kind;
    if (kind !== undefined) {
      const content = kind === "text"
        ? { type: "text", text: "" }
        : { type: "thinking", thinking: "", signature: "" };
      events.push(event("content_block_start", { index: this.#index, content_block: content }));
    }
    return events;
  }

  #call({ id, name, args }: ScriptedCall): string[] {
    const index = this.#index++;
    const block = { type: "tool_use", ...(id === undefined ? {} : { id }), name, input: {} };
    const pieces = ["", ...args].map((partial_json) =>
      event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } })
    );
    return [
      event("content_block_start", { index, content_block: block }),
      ...pieces,
      event("content_block_stop", { index }),
    ];
  }

  #delta(delta: unknown): string {
    return event("content_block_delta", { index: this.#index, delta });
  }
}

function event(type: string, fields: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
