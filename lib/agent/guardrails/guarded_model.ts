import type { Model, ModelEvent, ModelRequest, ModelStream } from "../../providers/model.ts";
import type { GuardedOutput } from "./guarded_output.ts";

export interface GuardedModelOptions {
  output: GuardedOutput;
  /** Aborted when the output is stopped, so that the provider writes no more. */
  stopped: AbortSignal;
  maskName: (name: string) => string;
}

/**
 * A model whose text passes through a run's guardrails. What it shows is also what the next step reads. A
 * blocked text ends its stream with `content_filter`, and its calls are not executed.
 */
export class GuardedModel implements Model {
  readonly #model: Model;
  readonly #options: GuardedModelOptions;

  constructor(model: Model, options: GuardedModelOptions) {
    this.#model = model;
    this.#options = options;
  }

  async stream(request: ModelRequest): Promise<ModelStream> {
    const signal = AbortSignal.any([request.signal, this.#options.stopped]);
    const stream = await this.#model.stream({ ...request, signal });
    const tools = new Set(request.tools.map(({ name }) => name));
    const options = {
      tools,
      signal: request.signal,
      isStructured: request.responseSchema !== undefined,
    };
    return { read: (onEvent) => this.#read(stream, { ...options, onEvent }) };
  }

  async #read(
    stream: ModelStream,
    { tools, isStructured, onEvent, signal }: {
      tools: ReadonlySet<string>;
      isStructured: boolean;
      onEvent: (event: ModelEvent) => void;
      signal: AbortSignal;
    },
  ): Promise<void> {
    const { output } = this.#options;
    output.sendTo((text) => onEvent({ type: "text", text }));
    let end: ModelEvent & { type: "end" } = { type: "end", reason: "stop" };
    try {
      await stream.read((event) => {
        if (event.type === "text") output.push(event.text);
        else if (event.type === "end") end = event;
        else if (event.type === "usage") onEvent(event);
        else if (!output.isStopped) onEvent(this.#withMaskedName(event, tools));
      });
    } catch (error) {
      if (signal.aborted) await output.abort();
      else if (!output.isStopped) await output.cut();
      if (!output.isStopped || signal.aborted) throw error;
    }
    // An answer under a schema is the text of one step, and begins with nothing of the one before.
    if (end.reason === "tool_calls" && !isStructured) await output.pause();
    else if (end.reason === "length") await output.cut();
    else await output.end();
    onEvent(output.isStopped ? { type: "end", reason: "content_filter" } : end);
  }

  /** A tool's name that the model made up is its text, and frames show it. */
  #withMaskedName(event: ModelEvent, tools: ReadonlySet<string>): ModelEvent {
    if (event.type !== "tool_call" || tools.has(event.call.name)) return event;
    const { call } = event;
    return { ...event, call: { ...call, name: this.#options.maskName(call.name) } };
  }
}
