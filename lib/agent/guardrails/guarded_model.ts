import type { Model, ModelEvent, ModelRequest, ModelStream } from "../../providers/model.ts";
import type { GuardedOutput } from "./guarded_output.ts";

/**
 * A model whose text passes through a run's guardrails. What it shows is also what the next step reads. A
 * blocked text ends its stream with `content_filter`, and its calls are not executed.
 */
export class GuardedModel implements Model {
  readonly #model: Model;
  readonly #output: GuardedOutput;
  /** Aborted when the output is stopped, so that the provider writes no more. */
  readonly #stopped: AbortSignal;

  constructor(model: Model, { output, stopped }: { output: GuardedOutput; stopped: AbortSignal }) {
    this.#model = model;
    this.#output = output;
    this.#stopped = stopped;
  }

  async stream(request: ModelRequest): Promise<ModelStream> {
    const signal = AbortSignal.any([request.signal, this.#stopped]);
    const stream = await this.#model.stream({ ...request, signal });
    return { read: (onEvent) => this.#read(stream, { onEvent, signal: request.signal }) };
  }

  async #read(
    stream: ModelStream,
    { onEvent, signal }: { onEvent: (event: ModelEvent) => void; signal: AbortSignal },
  ): Promise<void> {
    const output = this.#output;
    output.sendTo((text) => onEvent({ type: "text", text }));
    let end: ModelEvent & { type: "end" } = { type: "end", reason: "stop" };
    try {
      await stream.read((event) => {
        if (event.type === "text") output.push(event.text);
        else if (event.type === "end") end = event;
        else if (event.type === "usage" || !output.isStopped) onEvent(event);
      });
    } catch (error) {
      if (signal.aborted) await output.abort();
      else if (!output.isStopped) await output.end();
      if (!output.isStopped || signal.aborted) throw error;
    }
    if (end.reason === "tool_calls") await output.pause();
    else await output.end();
    onEvent(output.isStopped ? { type: "end", reason: "content_filter" } : end);
  }
}
