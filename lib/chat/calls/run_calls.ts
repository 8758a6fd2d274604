import type { AgentEvent, AgentRunOptions } from "../../agent/agent_run_options.ts";
import {
  type CallWait,
  type HeldCall,
  outputWithoutCall,
  QUESTION,
} from "../../agent/held_call.ts";
import type { AskVisitor } from "../../agent/tools/callable_tool.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import { canAnswerCalls } from "../../schemas/chat_protocol.ts";
import type { RunFacts } from "../../store/runs/run_record.ts";
import type { Run } from "../run.ts";
import type { RunRegistry } from "../run_registry.ts";

/** How long a call waits unless its tool says otherwise. */
const WAIT_MS = 60_000;
/** What is left of the run's time when a wait ends, so that the model can still answer. */
const MAX_RESERVE_MS = 10_000;
const RESERVE_SHARE = 1 / 4;
/** Less time is too short for an answer: a page's function would be called for nothing. */
const MIN_WAIT_MS = 500;
/** A call with effects that is not stored by then is not made. */
const STORE_TIMEOUT_MS = 5_000;
const OF_VISITOR: CallWait = { for: "visitor" };

interface RunCallsOptions {
  facts: RunFacts;
  wallClockMs: number;
  deps: { runs: RunRegistry; runtime: Runtime };
}

/** The calls of a run that wait, and those that must not be lost in a crash. */
export class RunCalls {
  readonly #run: Run;
  readonly #options: RunCallsOptions;
  /** When the last wait ends. */
  readonly #until: number;
  #guard = (event: AgentEvent): AgentEvent => event;
  #waitedMs = 0;

  constructor(run: Run, options: RunCallsOptions) {
    const { wallClockMs, deps: { runtime } } = options;
    this.#run = run;
    this.#options = options;
    const reserveMs = Math.min(MAX_RESERVE_MS, wallClockMs * RESERVE_SHARE);
    // Waiting is a part of the run's time: its slot and its reservation end with it.
    this.#until = runtime.now() + wallClockMs - reserveMs;
  }

  /** How long people took to answer, milliseconds. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Questions that these would mask are not asked. */
  guardEvents(guard: (event: AgentEvent) => AgentEvent): void {
    this.#guard = guard;
  }

  /** What the agent loop needs. */
  get forLoop(): Pick<AgentRunOptions, "holdCall" | "whenStored" | "runId"> {
    return {
      runId: this.#run.id,
      holdCall: (name, wait) => this.#hold(name, wait, this.#run.signal),
      whenStored: (n) => this.#whenStored(n),
    };
  }

  /**
   * Asks the visitor while a tool's call is open: in the stream, as a separate call that waits. Declines
   * while calls run beside each other, because the next numbers are theirs.
   */
  readonly askVisitor: AskVisitor = async (message, signal) => {
    const run = this.#run;
    if (run.hasReservedNumbers) return false;
    const name = QUESTION;
    const question = { type: "tool_call" as const, name, args: { message } };
    const shown = this.#guard(question);
    // The visitor would agree to something that they cannot read.
    if (JSON.stringify(shown) !== JSON.stringify(question)) return false;
    const either = AbortSignal.any([run.signal, signal]);
    const held = await this.#hold(name, OF_VISITOR, either);
    if (held === undefined || held === "late") return false;
    // Stopped meanwhile: the run may be settled by now, and its log has no place for a question.
    either.throwIfAborted();
    const call = run.report({ ...question, held })!;
    const answer = await held.answer;
    const output = outputWithoutCall(answer, OF_VISITOR) ?? { approved: true };
    run.report({ type: "tool_result", name, output, call });
    either.throwIfAborted();
    return answer.kind === "approved";
  };

  async #hold(
    name: string,
    wait: CallWait,
    signal: AbortSignal,
  ): Promise<HeldCall | "late" | undefined> {
    const run = this.#run;
    const { facts, deps: { runs, runtime } } = this.#options;
    const { tenant, runId, agentId, conversationId, source: { protocol } } = facts;
    const { for: waitsFor, timeoutMs = WAIT_MS, output } = wait;
    if (waitsFor !== "person" && !canAnswerCalls(protocol)) return undefined;
    const now = runtime.now();
    const expiresAt = Math.floor(Math.min(now + timeoutMs, this.#until));
    if (expiresAt - now < MIN_WAIT_MS) return "late";
    const of = { runId, agentId, conversationId, name, n: run.nextCall(), waitsFor, expiresAt };
    const call = { ...of, ...output !== undefined && { output: { ...output } } };
    const held = await runs.calls.hold(tenant, call, signal);
    // The client's format may end its stream here, and people decide without following the run.
    run.followers.enter();
    const since = runtime.now();
    const answer = held.answer.finally(() => {
      run.followers.leave();
      if (waitsFor !== "page") this.#waitedMs += Math.max(0, runtime.now() - since);
    });
    return { ...held, answer };
  }

  async #whenStored(n: number): Promise<boolean> {
    const { runs, runtime } = this.#options.deps;
    const late = new AbortController();
    const cancelTimer = setTimer(runtime, STORE_TIMEOUT_MS, () => late.abort());
    const signal = AbortSignal.any([this.#run.signal, late.signal]);
    return await runs.whenStored(this.#run, n, signal).finally(cancelTimer);
  }
}
