import type { Admission } from "../billing/admission.ts";
import type { FailureDetector } from "../billing/failure_detector.ts";
import { findLease, type Lease, type Ledger } from "../billing/ledger.ts";
import { type Charge, combineSettleHooks, type SettleHook } from "../billing/decide_settlement.ts";
import { keys } from "../store/keys/keys.ts";
import { CorruptRecordError, parseRecord } from "../store/values/record.ts";
import { type ActiveRun, activeRunSchema, type BudgetScope } from "../store/runs/active_run.ts";
import { type ContentCipher, contentContexts } from "../store/encryption/content_cipher.ts";
import { encodeFrames } from "../store/runs/frame_reader.ts";
import { appendLog, closedLog, type LogState } from "../store/runs/run_log_head.ts";
import { endRunLog, type RunLogStore, type StoredLog } from "../store/runs/run_log_store.ts";
import type { CallName, WaitingCallStore } from "../store/runs/waiting_call_store.ts";
import type { Frame, FrameOf } from "../schemas/frames.ts";
import { trace, type Tracing } from "../platform/tracing.ts";
import type { Runtime } from "../platform/runtime.ts";
import { interruptedEnd, type RunFacts } from "../store/runs/run_record.ts";
import type { ConversationLog } from "./log/conversation_log.ts";
import { findOpenCalls, interruptedCallsOf, resultOfOpenCall } from "./calls/interrupted_calls.ts";
import type { RunInputStore } from "./run_input.ts";
import type { RunSealer } from "./seals/run_sealer.ts";

export interface OrphanedRunSettlerDeps {
  kv: Deno.Kv;
  admission: Pick<Admission, "settleOrphaned">;
  runtime: Pick<Runtime, "now">;
  leases: FailureDetector;
  content: ContentCipher;
  store: RunLogStore;
  calls: Pick<WaitingCallStore, "find" | "end">;
  inputs: Pick<RunInputStore, "find">;
  conversations: Pick<ConversationLog, "settleHook">;
  sealer?: RunSealer;
  tracing?: Tracing | undefined;
}

/** Settles the runs of processes that died: their charge, their log, their conversation. */
export class OrphanedRunSettler {
  readonly #deps: OrphanedRunSettlerDeps;

  constructor(deps: OrphanedRunSettlerDeps) {
    this.#deps = deps;
  }

  /** Settles a run of another process if that died; false if the run is no longer active. */
  async settleIfOrphaned(tenant: string, runId: string): Promise<boolean> {
    const { kv, leases } = this.#deps;
    const active = parseRecord(activeRunSchema, await kv.get(keys.activeRun(tenant, runId)));
    if (active === undefined) return false;
    const [{ key, sharedLease = runId }] = active.accounts as [BudgetScope];
    const { value: ledger } = await kv.get<Ledger>(key);
    const lease = findLease(ledger ?? undefined, sharedLease);
    if (leases.isDead(runId, lease)) await this.settle(active, lease);
    return true;
  }

  /** Settles a run whose lease has expired. Returns what was charged. */
  async settle(active: ActiveRun, lease: Lease | undefined): Promise<Charge | undefined> {
    const { traceparent: parent } = active.run;
    const attributes = { "agent_chat.run.id": active.run.runId, "agent_chat.orphaned": true };
    const work = () => this.#settle(active, lease);
    return await trace(this.#deps.tracing, { name: "settlement", parent, attributes, work });
  }

  async #settle(active: ActiveRun, lease: Lease | undefined): Promise<Charge | undefined> {
    const { admission, conversations, inputs, store, runtime } = this.#deps;
    const { run: facts } = active;
    const end = interruptedEnd(facts);
    const stored = await ignoreCorrupt(store.readAll(facts));
    const { frames, log } = await this.#interrupt(facts, stored);
    const hooks = [interruptionHook(facts, { now: runtime.now(), log })];
    const conversation = await ignoreCorrupt(inputs.find(active));
    if (conversation !== undefined) {
      const interruptedCalls = interruptedCallsOf(frames, runtime.now());
      const ended = { facts, end, frames, interruptedCalls };
      hooks.push(await conversations.settleHook(conversation, ended));
    }
    const question = conversation?.input.messages.at(-1);
    const sealed = { facts, question, agent: undefined, frames, finalFrames: () => [] };
    const seal = this.#deps.sealer?.settleHook(sealed);
    if (seal !== undefined) hooks.push(seal);
    return await admission.settleOrphaned(active, {
      lease,
      end,
      settleHook: combineSettleHooks(hooks),
    });
  }

  /** What a dead process has left of a run, with results for calls that have none. */
  async #interrupt(
    facts: RunFacts,
    stored: StoredLog | undefined,
  ): Promise<{ frames: readonly Frame[]; log: LogState | undefined }> {
    if (stored === undefined) return { frames: [], log: undefined };
    const { frames, log, isWhole } = stored;
    const results: Frame[] = [];
    for (const { n, call } of findOpenCalls(frames)) {
      const wasMade = await this.#wasMade({ ...facts, n }, call);
      results.push(resultOfOpenCall(call, { n, wasMade }));
    }
    if (results.length === 0) return { frames, log };
    return {
      frames: [...frames, ...results],
      log: isWhole ? addResults(log, { facts, results, content: this.#deps.content }) : log,
    };
  }

  /** Nothing was sent without an approval; a page may have acted before it could answer. */
  async #wasMade(name: CallName, { waitsFor }: FrameOf<"tool_call">): Promise<boolean> {
    if (waitsFor === undefined) return true;
    const { calls, runtime } = this.#deps;
    // An approval may still arrive, which a suspended process would act on when it wakes.
    await calls.end(name, runtime.now());
    if (waitsFor === "page") return true;
    const found = await calls.find(name, runtime.now());
    return found === undefined || (found.call.state === "answered" && found.call.approve === true);
  }
}

/** Adds the results of the calls that were open when the process died. */
function addResults(log: LogState, { facts, results, content }: {
  facts: RunFacts;
  results: readonly Frame[];
  content: ContentCipher;
}): LogState {
  const bytes = [encodeFrames(results)];
  const grown = appendLog(log, { frames: results.length, bytes }).log;
  const context = contentContexts.logTail(facts.tenant, facts.runId, grown.frames);
  return { ...grown, tail: content.sealSync(grown.tail, context) };
}

/** A corrupt record must not block a slot and reserve money forever. */
async function ignoreCorrupt<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof CorruptRecordError) return undefined;
    throw error;
  }
}

/**
 * Ends the log of an orphaned run at `now` (milliseconds) after what is stored of it: `log`, or what its
 * record says if that cannot be read.
 */
export function interruptionHook(
  facts: RunFacts,
  { now, log: stored }: { now: number; log: LogState | undefined },
): SettleHook {
  return {
    keys: [],
    estimatedBytes: 10_240,
    write(transaction) {
      const begun = transaction.get<ActiveRun>(keys.activeRun(facts.tenant, facts.runId))?.log;
      if (begun === undefined) return;
      endRunLog(transaction, { facts, log: stored ?? closedLog(begun), state: "interrupted", now });
    },
  };
}
