import { PeriodicTask } from "../platform/periodic_task.ts";
import type { Runtime } from "../platform/runtime.ts";
import { keys } from "../store/keys/keys.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import { interruptedEnd, type RunEnd } from "../store/runs/run_record.ts";
import { MAX_SPENT_PROOFS } from "../store/credentials/session_binding.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import type { BillingObserver } from "./billing_observer.ts";
import { toLimitRejection } from "./budget_scope.ts";
import type { RateLimitStatus } from "./count_request.ts";
import {
  activeRunOf,
  type Admittance,
  decideRun,
  type RunDecision,
  runKeys,
  type RunRequest,
} from "./decide_run.ts";
import type { Charge, SettleHook } from "./decide_settlement.ts";
import { HEARTBEAT_MS, type LedgerRejection } from "./ledger.ts";
import { ledgerShardOf } from "./ledger_division.ts";
import { LedgerShards, MAX_REBALANCES, MAX_WAIT_MS, type ShardNeed } from "./ledger_shards.ts";
import { idempotencyKeyReusedError, LimitError } from "./limit_error.ts";
import type { Limits } from "./limits.ts";
import { isFinalCount, RequestCounter } from "./request_counter.ts";
import { runHoldKeys, sharesLeases } from "./run_lease.ts";
import { raiseHold, renewAllLeases } from "./running_leases.ts";
import { SettlementWriter } from "./settlement_writer.ts";
import { visitorAccountKeys } from "./visitor_account.ts";
import { WindowShards } from "./window_shards.ts";

/** The result of a message that no limit rejected. */
export type AdmissionResult =
  | ({ kind: "admitted" } & Admittance)
  /** The same message started this run before. */
  | { kind: "replayed"; runId: string; windows: RateLimitStatus }
  /** The session has ended. */
  | { kind: "gone" }
  /** The session is bound to another key, or the message's proof has sent another one. */
  | { kind: "unproven" };

interface TrackedRun {
  activeRun: ActiveRun;
  limits: Limits;
  /** Micro-USD. */
  hold: number;
  idempotencyKey: Deno.KvKey | undefined;
}

/**
 * Enforces every limit in the group committer: one commit admits a message, one settles its run. With a
 * read transaction, that commit also checks what was read (credential, plan, agent).
 */
export class Admission {
  /** Counts requests that are no messages. */
  readonly requests: RequestCounter;
  #committer: GroupCommitter;
  #shards: LedgerShards;
  #windows: WindowShards;
  #runtime: Runtime;
  #running = new Map<string, TrackedRun>();
  #settlements: SettlementWriter;
  #heartbeat: PeriodicTask;
  /** The beginning of the names of this process's shared leases. */
  #leasePrefix: string | undefined;
  #onLost: (runId: string) => void;
  #observer: BillingObserver | undefined;

  /** `onLost` is called with a run that other processes have settled because this one stood still. */
  constructor(committer: GroupCommitter, options: {
    runtime: Runtime;
    shards?: LedgerShards;
    windows?: WindowShards;
    onLost?: (runId: string) => void;
    observer?: BillingObserver | undefined;
  }) {
    const { observer } = options;
    const { runtime, shards = new LedgerShards(committer, runtime), onLost = () => {} } = options;
    const { contended } = shards;
    this.#committer = committer;
    this.#runtime = runtime;
    this.#shards = shards;
    this.#settlements = new SettlementWriter(committer, { shards, runtime, observer });
    this.#windows = options.windows ?? new WindowShards(committer, { runtime, contended });
    this.requests = new RequestCounter(committer, { runtime, windows: this.#windows });
    this.#onLost = onLost;
    this.#observer = observer;
    const work = () => this.#onHeartbeat();
    this.#heartbeat = new PeriodicTask(runtime, { everyMs: HEARTBEAT_MS, work });
  }

  /**
   * Admits one message: counts the request and the message, takes a stream slot and reserves money, all or
   * nothing in one commit. Throws the 429 of the first limit that is reached, and 422 for an idempotency
   * key that was used for another message.
   */
  async admit(
    asked: RunRequest & { id: number },
    reads?: ReadTransaction,
  ): Promise<AdmissionResult> {
    const caller = this.#windows.assignShards(asked.caller);
    const ledgerKey = this.#shards.keyOf(asked.run.tenant);
    const sharedLease = this.#sharedLeaseIn(ledgerKey, asked.limits);
    const shards = { caller, ledgerKey, sharedLease };
    let request = { ...asked, ...shards, attempted: {}, hasClearance: false };
    const deadline = this.#runtime.now() + MAX_WAIT_MS;
    for (let i = 0; i < MAX_REBALANCES && this.#runtime.now() <= deadline; i++) {
      const decided = await this.#windows.withCapacity(request, () => this.#decide(request, reads));
      if ("rejected" in decided) throw new LimitError(decided.rejected);
      if ("reused" in decided) throw idempotencyKeyReusedError();
      if ("gone" in decided) return { kind: "gone" };
      if ("unproven" in decided) return { kind: "unproven" };
      if ("replayed" in decided) return { kind: "replayed", ...decided.replayed };
      if ("admitted" in decided) {
        this.#track(request, decided.admitted.hold);
        this.#observer?.onAdmitted(request.run);
        return { kind: "admitted", ...decided.admitted };
      }
      const need = { streams: 1, hold: asked.hold, minHold: asked.minHold };
      const hold = await this.#rebalance(request, need);
      if (hold !== undefined) request = { ...request, hold, hasClearance: hold === 0 };
    }
    throw this.#toLimitError({ rejected: "streams" }, asked.limits);
  }

  #decide(request: RunRequest & { id: number }, reads?: ReadTransaction): Promise<RunDecision> {
    return this.#committer.run<RunDecision>({
      keys: runKeys(request),
      decide: (tx) => decideRun(tx, { ...request, now: this.#runtime.now() }),
      isFinal: (result) => "short" in result || isFinalCount(result),
      estimatedBytes: 5_120 + (request.proof ? MAX_SPENT_PROOFS * 64 : 0) +
        (request.startHook?.estimatedBytes ?? 0),
    }, reads).catch((error) => this.#withdraw(request, error));
  }

  /**
   * Moves what a message needs to its shard; returns how much it may hold, if known. Throws the tenant's
   * 429.
   */
  async #rebalance(
    { run: { tenant }, limits, ledgerKey: key, sharedLease }: RunRequest & { ledgerKey: string[] },
    need: ShardNeed,
  ): Promise<number | undefined> {
    const scope = { key, ...sharedLease !== undefined && { sharedLease } };
    const rebalanced = await this.#shards.rebalance(tenant, { scope, limits, need });
    if ("changed" in rebalanced) return undefined;
    if ("available" in rebalanced) return rebalanced.available;
    throw this.#toLimitError(rebalanced.rejected, limits);
  }

  #toLimitError(rejection: LedgerRejection, limits: Limits): LimitError {
    const how = { rejection, streams: limits.streams, limits, now: this.#runtime.now() };
    return new LimitError(toLimitRejection({ kind: "tenant" }, how));
  }

  /**
   * Raises a run's hold to cover its next step and what it has cost so far: to at most `hold` and at least
   * `least`. Returns what was granted, or `undefined` if the budget does not allow it. Micro-USD.
   */
  async reserve(
    runId: string,
    { hold, least: minHold }: { hold: number; least: number },
  ): Promise<number | undefined> {
    const running = this.#running.get(runId);
    if (running === undefined) return undefined;
    const { activeRun: { accounts: scopes, run }, limits } = running;
    const { tenant } = run;
    const scope = scopes[0]!;
    for (let maxHold = hold, i = 0; i < MAX_REBALANCES; i++) {
      const raised = await this.#committer.run({
        keys: [
          ...scopes.map((scope) => scope.key),
          ...runHoldKeys(scopes, run),
          keys.ledgerDivision(tenant),
          ...visitorAccountKeys(run),
        ],
        decide: (tx) => {
          const now = this.#runtime.now();
          return raiseHold(tx, { run, scopes, limits, hold: maxHold, minHold, now });
        },
      });
      if (raised === undefined) return undefined;
      if ("granted" in raised) return running.hold = raised.granted;
      const { held } = raised;
      const need = { streams: 0, hold: hold - held, minHold: Math.max(0, minHold - held) };
      const rebalanced = await this.#shards.rebalance(tenant, { scope, limits, need });
      if ("available" in rebalanced) maxHold = held + rebalanced.available;
    }
    return undefined;
  }

  /**
   * Charges a run, frees its slot, adds it to usage and records it, in one commit; a second call changes
   * nothing. `cost` and `ceiling` (the maximum charge) in micro-USD. If the run never `opened`, its
   * idempotency key is deleted. If the store is unavailable it throws, and heartbeats retry it.
   */
  async settle(runId: string, { end, cost, ceiling, settleHook, opened = true }: {
    end: RunEnd;
    cost: number;
    ceiling: number;
    settleHook?: SettleHook;
    opened?: boolean;
  }): Promise<Charge> {
    const running = this.#running.get(runId);
    if (running === undefined) return { charged: 0, excess: cost };
    const { activeRun, limits, idempotencyKey } = running;
    const forgetKey = opened ? undefined : idempotencyKey;
    const exceedsHold = Math.min(cost, ceiling) > running.hold;
    const how = { end, cost, ceiling, settleHook, forgetKey, refundsMessage: !opened };
    try {
      const charge = await this.#settlements.settle({ ...how, activeRun, limits, exceedsHold });
      return charge ?? { charged: 0, excess: cost };
    } finally {
      // If it cannot be settled, its lease lapses and a sweep settles it.
      this.#running.delete(runId);
      this.#stopIfIdle();
    }
  }

  /** True for an unsettled run of this process. */
  isRunning(runId: string): boolean {
    return this.#running.has(runId);
  }

  /** True for the shared lease of this process's runs. */
  isOwnLease(sharedLease: string): boolean {
    return this.#leasePrefix !== undefined && sharedLease.startsWith(this.#leasePrefix);
  }

  /** The lease that a new run shares; `undefined` if it gets its own. */
  #sharedLeaseIn(ledgerKey: readonly string[], { streams }: Limits): string | undefined {
    if (!sharesLeases(streams)) return undefined;
    this.#leasePrefix ??= `${this.#runtime.uuid()} `;
    return this.#leasePrefix + ledgerShardOf(ledgerKey);
  }

  /** See `SettlementWriter.settleOrphaned`. */
  settleOrphaned(
    ...args: Parameters<SettlementWriter["settleOrphaned"]>
  ): Promise<Charge | undefined> {
    return this.#settlements.settleOrphaned(...args);
  }

  /** Stops the heartbeat. */
  close(): void {
    void this.#heartbeat.stop();
  }

  #track(request: RunRequest, hold: number): void {
    const { run, limits, idempotency } = request;
    const idempotencyKey = idempotency?.key;
    this.#running.set(run.runId, { activeRun: activeRunOf(request), limits, hold, idempotencyKey });
    this.#heartbeat.start();
  }

  /** A run whose caller got an error must not exist: if it was admitted after all, settle it for nothing. */
  #withdraw(request: RunRequest, error: unknown): never {
    const { run, limits, idempotency, startHook } = request;
    const { undo = () => {} } = startHook ?? {};
    this.#settlements.retryLater({
      activeRun: activeRunOf(request),
      limits,
      end: interruptedEnd(run),
      cost: 0,
      ceiling: 0,
      settleHook: startHook && { keys: [], estimatedBytes: 512, write: undo },
      forgetKey: idempotency?.key,
      refundsMessage: true,
      isWithdrawn: true,
    }, error);
    if (this.#settlements.hasPending) this.#heartbeat.start();
    throw error;
  }

  #stopIfIdle(): void {
    if (this.#running.size === 0 && !this.#settlements.hasPending) this.close();
  }

  async #onHeartbeat(): Promise<void> {
    await this.#settlements.retryPending();
    this.#stopIfIdle();
    const lost = await renewAllLeases(this.#committer, {
      running: this.#running,
      runtime: this.#runtime,
    });
    for (const runId of lost) this.#onLost(runId);
  }
}
