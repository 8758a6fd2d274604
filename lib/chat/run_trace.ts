import type { Charge } from "../billing/decide_settlement.ts";
import { toUsd } from "../billing/micro_usd.ts";
import { errorType, type Span, type Tracing } from "../platform/tracing.ts";
import type { RunEnd, RunFacts } from "../store/runs/run_record.ts";

/** The trace of one run: its span, below which are its admission, steps and settlement. */
export class RunTrace {
  readonly #tracing: Tracing;
  readonly #span: Span;

  constructor(tracing: Tracing, facts: RunFacts) {
    this.#tracing = tracing;
    this.#span = tracing.start({
      name: "invoke_agent",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.id": facts.agentId,
        "gen_ai.agent.version": String(facts.agentVersion),
        "gen_ai.conversation.id": facts.conversationId,
        "gen_ai.request.model": facts.model,
        "agent_chat.run.id": facts.runId,
        "agent_chat.source": facts.source.kind,
        "agent_chat.tenant": tracing.tenantLabel(facts.tenant),
      },
    });
  }

  /** Stored with the run, so that another process continues the trace. */
  get traceparent(): string {
    return this.#span.traceparent;
  }

  within<T>(work: () => T): T {
    return this.#tracing.within(this.#span, work);
  }

  /** The message was rejected, or had started another run before. */
  notStarted(error?: unknown): void {
    if (error === undefined) this.#span.set({ "agent_chat.replayed": true });
    this.#span.end(error === undefined ? undefined : errorType(error));
  }

  onSettled(end: RunEnd, { charged }: Charge): void {
    this.#span.set({
      "gen_ai.response.model": end.model,
      "gen_ai.response.finish_reasons": [end.finishReason],
      "gen_ai.usage.input_tokens": end.inputTokens,
      "gen_ai.usage.output_tokens": end.outputTokens,
      "agent_chat.cost_usd": toUsd(charged),
      "agent_chat.steps": end.steps,
      "agent_chat.first_text_ms": end.firstTextMs,
    });
    this.#span.end(end.errorCode);
  }

  /** Ends the span of a run that could not be settled. */
  end(): void {
    this.#span.end("unsettled");
  }
}

/** The facts of a run with its trace. */
export function withTrace(facts: RunFacts, { traceparent }: RunTrace): RunFacts {
  return { ...facts, traceparent };
}

/** Does `admit` within the span of a run, which ends if the run is not admitted. */
export async function traceAdmission<T extends { kind: string }>(
  trace: RunTrace | undefined,
  admit: () => Promise<T>,
): Promise<T> {
  if (trace === undefined) return await admit();
  try {
    const admitted = await trace.within(admit);
    if (admitted.kind === "replayed") trace.notStarted();
    else if (admitted.kind !== "admitted") trace.notStarted(new Error(admitted.kind));
    return admitted;
  } catch (error) {
    trace.notStarted(error);
    throw error;
  }
}
