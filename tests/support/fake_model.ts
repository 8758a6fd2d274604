import type { Model, ModelEvent, ModelRequest, ModelStream } from "@/lib/providers/model.ts";
import { streamOf } from "./model_events.ts";

/** The result of one request: an error before the first byte, or events that may end in an error. */
export type Script = Error | readonly (ModelEvent | Error | Promise<unknown>)[];

/**
 * A model that answers each request with the next script and records the requests. A promise in a
 * script is awaited, so that a test decides when the model continues; an `Error` is thrown.
 */
export class FakeModel implements Model {
  readonly requests: ModelRequest[] = [];
  #scripts: Script[];

  constructor(...scripts: Script[]) {
    this.#scripts = scripts;
  }

  stream(request: ModelRequest): Promise<ModelStream> {
    this.requests.push({ ...request, messages: [...request.messages] });
    const script = this.#scripts.shift() ?? new Error("the model was asked too often");
    return script instanceof Error
      ? Promise.reject(script)
      : Promise.resolve(streamOf(play(script, request)));
  }
}

/** A model that never responds until it is aborted, and then fails like `fetch`. */
export const silentModel: Model = {
  stream: ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
};

async function* play(
  script: Exclude<Script, Error>,
  { signal }: ModelRequest,
): AsyncGenerator<ModelEvent> {
  for (const one of script) {
    signal.throwIfAborted();
    if (one instanceof Error) throw one;
    if (one instanceof Promise) await orAborted(one, signal);
    else yield one;
  }
}

function orAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return Promise.race([promise, aborted]);
}

export const text = (words: string): ModelEvent => ({ type: "text", text: words });
export const usage = (inputTokens: number, outputTokens: number): ModelEvent => ({
  type: "usage",
  inputTokens,
  outputTokens,
});
export const end = (reason: "stop" | "length" | "content_filter" | "tool_calls" = "stop") =>
  ({ type: "end", reason }) as const;
export const call = (name: string, args = "{}", id = `call_${name}`): ModelEvent => ({
  type: "tool_call",
  call: { id, name, args },
});
