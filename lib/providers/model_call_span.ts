import { errorType, type Span, type Tracing } from "../platform/tracing.ts";
import type { Protocol } from "../schemas/connection_config.ts";
import type { ModelEvent, ModelRequest, ModelStream } from "./model.ts";
import { ProviderError } from "./provider_error.ts";

/** The names that OpenTelemetry's conventions give the makers of the protocols. */
const PROVIDER_NAMES: Readonly<Record<Protocol, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "gcp.gemini",
};

export interface ModelCall {
  protocol: Protocol;
  baseUrl: string;
  request: ModelRequest;
  /** From 1. */
  attempt: number;
}

/**
 * The span of one attempt at a model.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/
 */
export class ModelCallSpan {
  readonly #span: Span;
  readonly #hasContent: boolean;
  #answer = "";

  constructor(tracing: Tracing, { protocol, baseUrl, request, attempt }: ModelCall) {
    const { hostname, port } = new URL(baseUrl);
    this.#hasContent = tracing.hasContent;
    this.#span = tracing.start({
      name: `chat ${request.model}`,
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDER_NAMES[protocol],
        "gen_ai.request.model": request.model,
        "gen_ai.request.max_tokens": request.maxOutputTokens,
        "gen_ai.request.temperature": request.temperature,
        "gen_ai.request.top_p": request.topP,
        "gen_ai.conversation.id": request.affinity,
        "server.address": hostname,
        "server.port": port === "" ? undefined : Number(port),
        "agent_chat.attempt": attempt,
        ...tracing.hasContent && contentOf(request),
      },
    });
  }

  /** Sent with the request, so that the provider's spans are below this one. */
  get headers(): Record<string, string> {
    return { traceparent: this.#span.traceparent };
  }

  /** The stream, with which the span ends. */
  follow(stream: ModelStream): ModelStream {
    const read: ModelStream["read"] = async (onEvent) => {
      try {
        await stream.read((event) => {
          this.#note(event);
          onEvent(event);
        });
        this.#finish();
      } catch (error) {
        this.fail(error);
        throw error;
      }
    };
    return { read };
  }

  fail(error: unknown): void {
    const status = error instanceof ProviderError ? error.status : undefined;
    this.#span.set({ "http.response.status_code": status });
    this.#finish(errorType(error));
  }

  #note(event: ModelEvent): void {
    switch (event.type) {
      case "text":
        if (this.#hasContent) this.#answer += event.text;
        return;
      case "usage":
        return this.#span.set({
          "gen_ai.usage.input_tokens": event.inputTokens,
          "gen_ai.usage.output_tokens": event.outputTokens,
          "gen_ai.usage.cache_read.input_tokens": event.cachedInputTokens,
        });
      case "end":
        return this.#span.set({ "gen_ai.response.finish_reasons": [event.reason] });
      case "tool_call":
        return;
      default:
        event satisfies never;
    }
  }

  #finish(error?: string): void {
    if (this.#answer !== "") {
      const parts = [{ type: "text", content: this.#answer }];
      const messages = JSON.stringify([{ role: "assistant", parts }]);
      this.#span.set({ "gen_ai.output.messages": messages });
    }
    this.#span.end(error);
  }
}

function contentOf({ system, messages }: ModelRequest) {
  return {
    "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: system }]),
    "gen_ai.input.messages": JSON.stringify(messages.map(toMessage)),
  };
}

function toMessage(message: ModelRequest["messages"][number]) {
  if (message.role === "tool") {
    const { role, callId: id, output: response } = message;
    return { role, parts: [{ type: "tool_call_response", id, response }] };
  }
  const calls = message.role === "assistant" ? message.toolCalls ?? [] : [];
  return {
    role: message.role,
    parts: [
      { type: "text", content: message.content },
      ...calls.map(({ id, name, args }) => ({ type: "tool_call", id, name, arguments: args })),
    ],
  };
}
