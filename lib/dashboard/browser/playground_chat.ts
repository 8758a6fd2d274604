import { type Signal, signal } from "@preact/signals";
import { callDashboard, DashboardCallError } from "@/lib/dashboard/call_dashboard.ts";
import { FrameDecoder } from "@/lib/schemas/frame_decoder.ts";
import { FIELD_BOUNDS } from "@/lib/schemas/limits.ts";
import { applyFrame, EMPTY_ANSWER, type PlaygroundAnswer } from "./playground_answer.ts";

/** What was said and what came of it. */
export interface PlaygroundTurn {
  said: string;
  answer: PlaygroundAnswer;
}

/** Which agent answers: fields of the body of `POST /agents/:id/try`. */
export interface PlaygroundTarget {
  form?: Record<string, string>;
  version?: number;
  provider?: string;
  model?: string;
}

const CONNECTION_LOST = "The connection was lost before the end of the answer.";

/** One conversation of the playground. */
export class PlaygroundChat {
  readonly turns: Signal<PlaygroundTurn[]> = signal([]);
  readonly busy: Signal<boolean> = signal(false);
  #agentPath: string;
  #asked = new AbortController();

  constructor(agentPath: string) {
    this.#agentPath = agentPath;
  }

  /**
   * Asks, and settles when the answer has ended one way or another; false when the question has not
   * even been taken, and so is to be asked again.
   */
  async send(said: string, tried: PlaygroundTarget): Promise<boolean> {
    if (this.busy.value) return true;
    this.busy.value = true;
    const body = { ...tried, ...this.#conversation(said) };
    this.turns.value = [...this.turns.value, { said, answer: EMPTY_ANSWER }];
    this.#asked = new AbortController();
    try {
      await this.#follow(body, this.#asked.signal);
    } catch (error) {
      const isTold = error instanceof DashboardCallError;
      this.#change((answer) => ({ ...answer, fault: isTold ? error.message : CONNECTION_LOST }));
    } finally {
      this.busy.value = false;
    }
    const { runId, fault } = this.turns.value.at(-1)?.answer ?? EMPTY_ANSWER;
    return runId !== undefined || fault === undefined;
  }

  /** Ends the answer under way; its run is cancelled, and what it cost is told. */
  async stop(): Promise<void> {
    const runId = this.turns.value.at(-1)?.answer.runId;
    if (runId === undefined) return this.#asked.abort();
    await callDashboard(`${this.#agentPath}/try/cancel`, { runId }).catch(() =>
      this.#asked.abort()
    );
  }

  /** Forgets what was said. */
  async clear(): Promise<void> {
    if (this.busy.value) await this.stop();
    this.turns.value = [];
  }

  async #follow(body: object, signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const response = await callDashboard(`${this.#agentPath}/try`, body, signal);
    const decoder = new FrameDecoder();
    for await (const chunk of readChunks(response.body!)) {
      for (const { data: frame } of decoder.push(chunk)) {
        this.#change((answer) => applyFrame(answer, { ms: performance.now() - begun, frame }));
      }
    }
    const ended = this.turns.value.at(-1)?.answer.finishReason !== undefined;
    if (!ended) throw new DashboardCallError(CONNECTION_LOST);
  }

  /** What was not answered is not repeated: the model would answer it as well. */
  #conversation(said: string): object {
    const answered = this.turns.value.filter(({ answer }) => answer.text !== "");
    const messages = answered.flatMap((turn) => [
      { role: "user", content: turn.said },
      { role: "assistant", content: turn.answer.text.slice(0, FIELD_BOUNDS.messageLength) },
    ]);
    const conversationId = answered.at(-1)?.answer.conversationId;
    return {
      messages: [...messages.slice(2 - FIELD_BOUNDS.messages), { role: "user", content: said }],
      ...(conversationId && { conversationId }),
    };
  }

  #change(change: (answer: PlaygroundAnswer) => PlaygroundAnswer): void {
    const last = this.turns.value.at(-1);
    // Cleared while the answer still came.
    if (last === undefined) return;
    const turn = { ...last, answer: change(last.answer) };
    this.turns.value = [...this.turns.value.slice(0, -1), turn];
  }
}

/** Not every browser's streams can be iterated. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
