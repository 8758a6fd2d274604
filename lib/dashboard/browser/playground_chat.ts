import { type Signal, signal } from "@preact/signals";
import { callDashboard, DashboardCallError } from "@/lib/dashboard/call_dashboard.ts";
import { FrameDecoder } from "@/lib/schemas/frame_decoder.ts";
import { FIELD_BOUNDS } from "@/lib/schemas/limits.ts";
import { applyFrame, EMPTY_ANSWER, type PlaygroundAnswer } from "./playground_answer.ts";
import { msg } from "../texts/translate.ts";

export type PlaygroundTurn = { message: string; answer: PlaygroundAnswer };

/** Which agent answers: fields of the body of `POST /agents/:id/try`. */
export interface PlaygroundTarget {
  form?: Record<string, string>;
  version?: number;
  provider?: string;
  model?: string;
}

const CONNECTION_LOST = msg("The connection was lost before the answer ended. Try again.");

export class PlaygroundChat {
  readonly turns: Signal<PlaygroundTurn[]> = signal([]);
  readonly busy: Signal<boolean> = signal(false);
  #agentPath: string;
  #request = new AbortController();

  constructor(agentPath: string) {
    this.#agentPath = agentPath;
  }

  /** Waits for the end of the answer; false if the message was not accepted, to send it again. */
  async send(message: string, target: PlaygroundTarget): Promise<boolean> {
    if (this.busy.value) return true;
    this.busy.value = true;
    const body = { ...target, ...this.#conversation(message) };
    this.turns.value = [...this.turns.value, { message, answer: EMPTY_ANSWER }];
    this.#request = new AbortController();
    try {
      await this.#follow(body, this.#request.signal);
    } catch (error) {
      const reason = error instanceof DashboardCallError ? error.message : CONNECTION_LOST;
      this.#change((answer) => ({ ...answer, error: reason }));
    } finally {
      this.busy.value = false;
    }
    const { runId, error } = this.turns.value.at(-1)?.answer ?? EMPTY_ANSWER;
    return runId !== undefined || error === undefined;
  }

  /** Cancels the run of the current answer, which then ends with its usage. */
  async stop(): Promise<void> {
    const runId = this.turns.value.at(-1)?.answer.runId;
    if (runId === undefined) return this.#request.abort();
    await callDashboard(`${this.#agentPath}/try/cancel`, { runId }).catch(() =>
      this.#request.abort()
    );
  }

  /** Answers the call that waits, as the visitor, the team or the page would. */
  async reply(n: number, reply: { approve: boolean } | { error: string }): Promise<void> {
    const runId = this.turns.value.at(-1)?.answer.runId;
    // Its result arrives with the stream, also if it was answered or over before.
    await callDashboard(`${this.#agentPath}/try/call`, { runId, n, reply }).catch(() => {});
  }

  async clear(): Promise<void> {
    if (this.busy.value) await this.stop();
    this.turns.value = [];
  }

  async #follow(body: object, signal: AbortSignal): Promise<void> {
    const start = performance.now();
    const response = await callDashboard(`${this.#agentPath}/try`, body, signal);
    const decoder = new FrameDecoder();
    for await (const chunk of readChunks(response.body!)) {
      for (const { id, data: frame } of decoder.push(chunk)) {
        const n = Number(id.split(".")[1]);
        this.#change((answer) => applyFrame(answer, { ms: performance.now() - start, n, frame }));
      }
    }
    const ended = this.turns.value.at(-1)?.answer.finishReason !== undefined;
    if (!ended) throw new DashboardCallError(CONNECTION_LOST);
  }

  /** Leaves out unanswered messages, which the model would answer as well. */
  #conversation(message: string): object {
    const answered = this.turns.value.filter(({ answer }) => answer.text !== "");
    const messages = answered.flatMap((turn) => [
      { role: "user", content: turn.message },
      { role: "assistant", content: turn.answer.text.slice(0, FIELD_BOUNDS.messageLength) },
    ]);
    const conversationId = answered.at(-1)?.answer.conversationId;
    return {
      messages: [...messages.slice(2 - FIELD_BOUNDS.messages), { role: "user", content: message }],
      ...(conversationId && { conversationId }),
    };
  }

  #change(change: (answer: PlaygroundAnswer) => PlaygroundAnswer): void {
    const last = this.turns.value.at(-1);
    // The chat was cleared while the answer arrived.
    if (last === undefined) return;
    const turn = { ...last, answer: change(last.answer) };
    this.turns.value = [...this.turns.value.slice(0, -1), turn];
  }
}

/** Some browsers cannot iterate streams. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
