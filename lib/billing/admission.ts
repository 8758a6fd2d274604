import type { GroupCommitter } from "../store/tx/group_committer.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";
import { interruptedEnd, type RunEnd } from "../store/runs/run_record.ts";
import {
  callerKeys,
  countRequest,
  type CountResult,
  type RateLimitStatus,
} from "./count_request.ts";
import {
  activeRunOf,
  type Admittance,
  decideRun,
  type RunDecision,
  runKeys,
  type RunRequest,
  toLimitRejection,
} from "./decide_run.ts";
import { HEARTBEAT_MS, type Lease, type LedgerRejection } from "./ledger.ts";
import { LedgerShards, MAX_WAIT_MS, type ShardNeed } from "./ledger_shards.ts";
import type { Limits } from "./limits.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import { idempotencyKeyReusedError, LimitError } from "./limit_error.ts";
import { PeriodicTask } from "../platform/periodic_task.ts";
import type { Caller } from "./request_windows.ts";
import { raiseHold, renewAllLeases } from "./running_leases.ts";
import { settleInFull, SettlementWriter, toUndoHook } from "./settlement_writer.ts";
import type { Charge, SettleHook, Settlement } from "./decide_settlement.ts";
import { type PendingSettlement, SettlementRetryQueue } from "./settlement_retry_queue.ts";
import { WindowShards } from "./window_shards.ts";

/** What came of a message that no limit refused. */
export type AdmissionResult =
  | ({ kind: "admitted" } & Admittance)
  /** The same message was let in before, as this run. */
  | { kind: "replayed"; runId: string; windows: RateLimitStatus }
  /** The session has ended. */
  | { kind: "gone" };

/** A shard that is emptied by others this often in a row makes the store too busy for one more. */
const MAX_REBALANCES = 100;

interface TrackedRun {
  activeRun: ActiveRun;
  limits: Limits;
  /** What is set aside for it, micro-USD. */
  hold: number;
  /** Where a message sent again finds the run. */
  receipt: Deno.KvKey | undefined;
}

/**
 * Every limit, decided on the committer: one commit lets a message in, one settles it. With a view,
 * what was read through it (credential, plan, agent) is checked in that same commit.
 */
export class Admission {
  #committer: GroupCommitter;
  #shards: LedgerShards;
  #windows: WindowShards;
  #runtime: Runtime;
  #running = new Map<string, TrackedRun>();
  #settlementWriter: SettlementWriter;
  #retryQueue = new SettlementRetryQueue();
  #heartbeat: PeriodicTask;
  #onLost: (runId: string) => void;

  /** `onLost` is called with a run that others have settled, because this process stood still too long. */
  constructor(
    committer: GroupCommitter,
    options: {
      runtime: Runtime;
      shards?: LedgerShards;
      windows?: WindowShards;
      onLost?: (runId: string) => void;
    },
  ) {
    const { runtime } = options;
    const shards = options.shards ?? new LedgerShards(committer, runtime);
    const { contended } = shards;
    this.#committer = committer;
    this.#runtime = runtime;
    this.#shards = shards;
    this.#settlementWriter = new SettlementWriter(committer, shards.process);
    this.#windows = options.windows ?? new WindowShards(committer, { runtime, contended });
    this.#onLost = options.onLost ?? (() => {});
    const work = () => this.#onHeartbeat();
    this.#heartbeat = new PeriodicTask(options.runtime, { everyMs: HEARTBEAT_MS, work });
  }

  /** A random number for `countRequest` and `admit`, the same for every try of one request. */
  requestId(): number {
    return new DataView(this.#runtime.randomBytes(4).buffer).getUint32(0);
  }

  /** Counts one request that is no message. Throws the 429 of the limit that is reached. */
  async countRequest(
    asked: { id: number; caller: Caller; limits: Limits },
    view?: ReadTransaction,
  ): Promise<RateLimitStatus> {
    const request = { ...asked, caller: this.#windows.assignShards(asked.caller) };
    const decided = await this.#windows.withCapacity(
      request,
      () =>
        this.#committer.run<CountResult>({
          keys: callerKeys(request.caller),
          decide: (draft) => {
            const now = this.#runtime.now();
            const count = countRequest(draft, { ...request, isMessage: false, now });
            if ("windows" in count) count.record();
            return count;
          },
          isFinal: isFinalCount,
        }, view),
    );
    if ("rejected" in decided) throw new LimitError(decided.rejected);
    return decided.windows;
  }

  /**
   * Lets one message in: counts the request and the message, takes a stream slot, sets its money
   * aside, all or nothing in one commit. Throws the 429 of the first limit that is reached, and 422
   * for an idempotency key that was used for another message.
   */
  async admit(
    asked: RunRequest & { id: number },
    view?: ReadTransaction,
  ): Promise<AdmissionResult> {
    const caller = this.#windows.assignShards(asked.caller);
    const ledgerKey = this.#shards.keyOf(asked.run.tenant);
    let request = { ...asked, caller, ledgerKey, hasClearance: false };
    const giveUpAt = this.#runtime.now() + MAX_WAIT_MS;
    for (let tries = 0; tries < MAX_REBALANCES && this.#runtime.now() <= giveUpAt; tries++) {
      const decided = await this.#windows.withCapacity(request, () => this.#decide(request, view));
      if ("rejected" in decided) throw new LimitError(decided.rejected);
      if ("reused" in decided) throw idempotencyKeyReusedError();
      if ("gone" in decided) return { kind: "gone" };
      if ("replayed" in decided) return { kind: "replayed", ...decided.replayed };
      if ("admitted" in decided) {
        this.#track(request, decided.admitted.hold);
        return { kind: "admitted", ...decided.admitted };
      }
      const need = { streams: 1, hold: asked.hold, minHold: asked.minHold };
      const hold = await this.#rebalance(request, need);
      if (hold !== undefined) request = { ...request, hold, hasClearance: hold === 0 };
    }
    throw this.#toLimitError({ rejected: "streams" }, asked.limits);
  }

  #decide(request: RunRequest & { id: number }, view?: ReadTransaction): Promise<RunDecision> {
    return this.#committer.run<RunDecision>({
      keys: runKeys(request),
      decide: (draft) => decideRun(draft, { ...request, now: this.#runtime.now() }),
      isFinal: (result) => "short" in result || isFinalCount(result),
      estimatedBytes: 5_120 + (request.startHook?.estimatedBytes ?? 0),
    }, view).catch((failure) => this.#withdraw(request, failure));
  }

  /**
   * Moves what a message needs to its shard; answers how much it may hold, where that is known. Throws
   * the tenant's 429.
   */
  async #rebalance(
    { run: { tenant }, limits, ledgerKey }: RunRequest & { ledgerKey: string[] },
    need: ShardNeed,
  ): Promise<number | undefined> {
    const rebalanced = await this.#shards.rebalance(tenant, { key: ledgerKey, limits, need });
    if ("changed" in rebalanced) return undefined;
    if ("available" in rebalanced) return rebalanced.available;
    throw this.#toLimitError(rebalanced.rejected, limits);
  }

  #toLimitError(refusal: LedgerRejection, limits: Limits): LimitError {
    const how = { refusal, streams: limits.streams, limits, now: this.#runtime.now() };
    return new LimitError(toLimitRejection({ kind: "tenant" }, how));
  }

  /**
   * Sets aside what a running run's next step can cost, with what it has cost so far: `least` at the
   * least, `hold` at most. Answers what was granted, or nothing when there is no room. Micro-USD.
   */
  async reserve(
    runId: string,
    { hold, least }: { hold: number; least: number },
  ): Promise<number | undefined> {
    const running = this.#running.get(runId);
    if (running === undefined) return undefined;
    const { activeRun: { accounts, run: { tenant } }, limits } = running;
    const key = accounts[0]!.key;
    for (let most = hold, tries = 0; tries < MAX_REBALANCES; tries++) {
      const raised = await this.#committer.run({
        keys: [...accounts.map((account) => account.key), keys.ledgerDivision(tenant)],
        decide: (draft) => {
          const now = this.#runtime.now();
          return raiseHold(draft, {
            runId,
            tenant,
            scopes: accounts,
            limits,
            hold: most,
            minHold: least,
            now,
          });
        },
      });
      if (raised === undefined) return undefined;
      if ("granted" in raised) return running.hold = raised.granted;
      const { held } = raised;
      const need = { streams: 0, hold: hold - held, minHold: Math.max(0, least - held) };
      const rebalanced = await this.#shards.rebalance(tenant, { key, limits, need });
      if ("rejected" in rebalanced) return undefined;
      if ("available" in rebalanced) most = held + rebalanced.available;
    }
    return undefined;
  }

  /**
   * Charges a run, frees its slot, adds it to usage and records it, in one commit; the second time
   * changes nothing. `cost` and `ceiling` (what it may be charged at most) in micro-USD. One that never
   * `opened` is forgotten, so that its message may be sent again. When the store does not take it, it
   * throws and is made up for with the next heartbeats.
   */
  async settle(
    runId: string,
    { end, cost, ceiling, settleHook, opened = true }: {
      end: RunEnd;
      cost: number;
      ceiling: number;
      settleHook?: SettleHook;
      opened?: boolean;
    },
  ): Promise<Charge> {
    const running = this.#running.get(runId);
    if (running === undefined) return { charged: 0, excess: cost };
    const { activeRun, limits, receipt } = running;
    const forgetKey = opened ? undefined : receipt;
    const exceedsHold = Math.min(cost, ceiling) > running.hold;
    const unsettled = { activeRun, end, cost, ceiling, limits, settleHook, exceedsHold, forgetKey };
    try {
      const charge = await this.#settleInFull(unsettled);
      return charge ?? { charged: 0, excess: cost };
    } catch (failure) {
      this.#retryQueue.add(unsettled, failure);
      throw failure;
    } finally {
      // One that nobody can settle is not kept alive: its lease lapses, and a sweep settles it.
      this.#running.delete(runId);
      this.#stopIfIdle();
    }
  }

  /** Whether the run is this process's own and not settled yet. */
  isRunning(runId: string): boolean {
    return this.#running.has(runId);
  }

  /**
   * Settles a run whose process died, `lease` being what it was judged by, and clears it away; answers
   * nothing when it goes on after all, or has been settled.
   */
  async settleOrphaned(
    live: ActiveRun,
    { lease, end, settleHook }: { lease: Lease | undefined; end: RunEnd; settleHook?: SettleHook },
  ): Promise<Charge | undefined> {
    const now = this.#runtime.now();
    const settlement: Settlement = {
      activeRun: live,
      end,
      cost: undefined,
      ceiling: Infinity,
      settleHook,
      now,
    };
    return await this.#settlementWriter.write(settlement, { dead: { until: lease?.until } });
  }

  /** Ends the heartbeat. */
  close(): void {
    void this.#heartbeat.stop();
  }

  #settleInFull(unsettled: PendingSettlement): Promise<Charge | undefined> {
    const settle = (one: PendingSettlement) =>
      this.#settlementWriter.write({ ...one, now: this.#runtime.now() });
    return settleInFull(unsettled, { shards: this.#shards, settle });
  }

  #track(request: RunRequest, hold: number): void {
    const { run, limits, idempotency } = request;
    this.#running.set(run.runId, {
      activeRun: activeRunOf(request),
      limits,
      hold,
      receipt: idempotency?.key,
    });
    this.#heartbeat.start();
  }

  /** Whoever was told that the store is away has no run: if it was let in after all, it costs nothing. */
  #withdraw(request: RunRequest, failure: unknown): never {
    const { run, limits, idempotency, startHook } = request;
    const unsettled = { activeRun: activeRunOf(request), limits, end: interruptedEnd(run) };
    const settleHook = startHook && toUndoHook(startHook);
    const forgetKey = idempotency?.key;
    this.#retryQueue.add({ ...unsettled, cost: 0, ceiling: 0, settleHook, forgetKey }, failure);
    if (this.#retryQueue.size > 0) this.#heartbeat.start();
    throw failure;
  }

  #stopIfIdle(): void {
    if (this.#running.size + this.#retryQueue.size === 0) this.close();
  }

  async #onHeartbeat(): Promise<void> {
    await this.#retryQueue.retry((one) => this.#settleInFull(one));
    this.#stopIfIdle();
    const lost = await renewAllLeases(this.#committer, {
      running: this.#running,
      runtime: this.#runtime,
    });
    for (const runId of lost) this.#onLost(runId);
  }
}

/** An address's window only fills up, and a full shard is only a reason to look at all of them. */
function isFinalCount(result: CountResult | RunDecision): boolean {
  return "full" in result || ("rejected" in result && result.rejected.scope === "ip");
}
