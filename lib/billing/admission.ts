import type { Committer } from "../store/tx/committer.ts";
import type { View } from "../store/tx/view.ts";
import { keys } from "../store/keys/keys.ts";
import type { Runtime } from "../platform/runtime.ts";
import { interruptedEnd, type RunEnd } from "../store/runs/run_record.ts";
import { callerKeys, type Count, countRequest, type RequestCount } from "./count_request.ts";
import {
  type AdmittedRun,
  decideRun,
  limitRefusal,
  liveOf,
  type RunDecision,
  runKeys,
  type RunRequest,
} from "./decide_run.ts";
import { HEARTBEAT_MS, type Lease, type LedgerRefusal } from "./ledger.ts";
import { LedgerShards, MAX_WAIT_MS, type ShardNeed } from "./ledger_shards.ts";
import type { Limits } from "./limits.ts";
import type { ActiveRun } from "../store/runs/active_run.ts";
import { LimitError, reusedKey } from "./refusal.ts";
import { Repeating } from "./repeating.ts";
import type { Caller } from "./request_windows.ts";
import { raiseHold, renewAll } from "./running_leases.ts";
import { settleInFull } from "./settle_in_full.ts";
import type { Charge, Closing, Settlement } from "./settle_run.ts";
import { Settlements, withdrawing } from "./settlements.ts";
import { type Unsettled, UnsettledRuns } from "./unsettled.ts";
import { WindowShards } from "./window_shards.ts";

/** What came of a message that no limit refused. */
export type Admitted =
  | ({ kind: "admitted" } & AdmittedRun)
  /** The same message was let in before, as this run. */
  | { kind: "replayed"; runId: string; left: RequestCount }
  /** The session has ended. */
  | { kind: "gone" };

/** A shard that is emptied by others this often in a row makes the store too busy for one more. */
const MAX_REBALANCES = 100;

interface Running {
  live: ActiveRun;
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
  #committer: Committer;
  #shards: LedgerShards;
  #windows: WindowShards;
  #runtime: Runtime;
  #running = new Map<string, Running>();
  #settlements: Settlements;
  #unsettled = new UnsettledRuns();
  #heartbeat: Repeating;
  #onLost: (runId: string) => void;

  /** `onLost` is called with a run that others have settled, because this process stood still too long. */
  constructor(
    committer: Committer,
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
    this.#settlements = new Settlements(committer, shards.process);
    this.#windows = options.windows ?? new WindowShards(committer, { runtime, contended });
    this.#onLost = options.onLost ?? (() => {});
    const work = () => this.#beat();
    this.#heartbeat = new Repeating(options.runtime, { everyMs: HEARTBEAT_MS, work });
  }

  /** A random number for `countRequest` and `admit`, the same for every try of one request. */
  requestId(): number {
    return new DataView(this.#runtime.randomBytes(4).buffer).getUint32(0);
  }

  /** Counts one request that is no message. Throws the 429 of the limit that is reached. */
  async countRequest(
    asked: { id: number; caller: Caller; limits: Limits },
    view?: View,
  ): Promise<RequestCount> {
    const request = { ...asked, caller: this.#windows.locate(asked.caller) };
    const decided = await this.#windows.withRoom(request, () =>
      this.#committer.run<Count>({
        keys: callerKeys(request.caller),
        decide: (draft) => {
          const now = this.#runtime.now();
          const count = countRequest(draft, { ...request, message: false, now });
          if ("left" in count) count.note();
          return count;
        },
        isFinal: isFinalCount,
      }, view));
    if ("refused" in decided) throw new LimitError(decided.refused);
    return decided.left;
  }

  /**
   * Lets one message in: counts the request and the message, takes a stream slot, sets its money
   * aside, all or nothing in one commit. Throws the 429 of the first limit that is reached, and 422
   * for an idempotency key that was used for another message.
   */
  async admit(asked: RunRequest & { id: number }, view?: View): Promise<Admitted> {
    const caller = this.#windows.locate(asked.caller);
    const ledgerKey = this.#shards.keyOf(asked.run.tenant);
    let request = { ...asked, caller, ledgerKey, hasClearance: false };
    const giveUpAt = this.#runtime.now() + MAX_WAIT_MS;
    for (let tries = 0; tries < MAX_REBALANCES && this.#runtime.now() <= giveUpAt; tries++) {
      const decided = await this.#windows.withRoom(request, () => this.#decide(request, view));
      if ("refused" in decided) throw new LimitError(decided.refused);
      if ("reused" in decided) throw reusedKey();
      if ("gone" in decided) return { kind: "gone" };
      if ("replayed" in decided) return { kind: "replayed", ...decided.replayed };
      if ("admitted" in decided) {
        this.#note(request, decided.admitted.hold);
        return { kind: "admitted", ...decided.admitted };
      }
      const need = { streams: 1, hold: asked.hold, least: asked.least };
      const hold = await this.#rebalance(request, need);
      if (hold !== undefined) request = { ...request, hold, hasClearance: hold === 0 };
    }
    throw this.#refusal({ refused: "streams" }, asked.limits);
  }

  #decide(request: RunRequest & { id: number }, view?: View): Promise<RunDecision> {
    return this.#committer.run<RunDecision>({
      keys: runKeys(request),
      decide: (draft) => decideRun(draft, { ...request, now: this.#runtime.now() }),
      isFinal: (result) => "short" in result || isFinalCount(result),
      bytes: 5_120 + (request.opening?.bytes ?? 0),
    }, view).catch((failure) => this.#release(request, failure));
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
    throw this.#refusal(rebalanced.refused, limits);
  }

  #refusal(refusal: LedgerRefusal, limits: Limits): LimitError {
    const how = { refusal, streams: limits.streams, limits, now: this.#runtime.now() };
    return new LimitError(limitRefusal({ kind: "tenant" }, how));
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
    const { live: { accounts, run: { tenant } }, limits } = running;
    const key = accounts[0]!.key;
    for (let most = hold, tries = 0; tries < MAX_REBALANCES; tries++) {
      const raised = await this.#committer.run({
        keys: [...accounts.map((account) => account.key), keys.ledgerDivision(tenant)],
        decide: (draft) => {
          const now = this.#runtime.now();
          return raiseHold(draft, { runId, tenant, accounts, limits, hold: most, least, now });
        },
      });
      if (raised === undefined) return undefined;
      if ("granted" in raised) return running.hold = raised.granted;
      const { held } = raised;
      const need = { streams: 0, hold: hold - held, least: Math.max(0, least - held) };
      const rebalanced = await this.#shards.rebalance(tenant, { key, limits, need });
      if ("refused" in rebalanced) return undefined;
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
    { end, cost, ceiling, closing, opened = true }: {
      end: RunEnd;
      cost: number;
      ceiling: number;
      closing?: Closing;
      opened?: boolean;
    },
  ): Promise<Charge> {
    const running = this.#running.get(runId);
    if (running === undefined) return { charged: 0, excess: cost };
    const { live, limits, receipt } = running;
    const forget = opened ? undefined : receipt;
    const exceedsHold = Math.min(cost, ceiling) > running.hold;
    const unsettled = { live, end, cost, ceiling, limits, closing, exceedsHold, forget };
    try {
      const charge = await this.#settleInFull(unsettled);
      return charge ?? { charged: 0, excess: cost };
    } catch (failure) {
      this.#unsettled.add(unsettled, failure);
      throw failure;
    } finally {
      // One that nobody can settle is not kept alive: its lease lapses, and a sweep settles it.
      this.#running.delete(runId);
      this.#restIfIdle();
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
  async settleDead(
    live: ActiveRun,
    { lease, end, closing }: { lease: Lease | undefined; end: RunEnd; closing?: Closing },
  ): Promise<Charge | undefined> {
    const now = this.#runtime.now();
    const settlement: Settlement = { live, end, cost: undefined, ceiling: Infinity, closing, now };
    return await this.#settlements.write(settlement, { dead: { until: lease?.until } });
  }

  /** Ends the heartbeat. */
  close(): void {
    void this.#heartbeat.stop();
  }

  #settleInFull(unsettled: Unsettled): Promise<Charge | undefined> {
    const settle = (one: Unsettled) =>
      this.#settlements.write({ ...one, now: this.#runtime.now() });
    return settleInFull(unsettled, { shards: this.#shards, settle });
  }

  #note(request: RunRequest, hold: number): void {
    const { run, limits, receipt } = request;
    this.#running.set(run.runId, { live: liveOf(request), limits, hold, receipt: receipt?.key });
    this.#heartbeat.start();
  }

  /** Whoever was told that the store is away has no run: if it was let in after all, it costs nothing. */
  #release(request: RunRequest, failure: unknown): never {
    const { run, limits, receipt, opening } = request;
    const unsettled = { live: liveOf(request), limits, end: interruptedEnd(run) };
    const closing = opening && withdrawing(opening);
    const forget = receipt?.key;
    this.#unsettled.add({ ...unsettled, cost: 0, ceiling: 0, closing, forget }, failure);
    if (this.#unsettled.size > 0) this.#heartbeat.start();
    throw failure;
  }

  #restIfIdle(): void {
    if (this.#running.size + this.#unsettled.size === 0) this.close();
  }

  async #beat(): Promise<void> {
    await this.#unsettled.retry((one) => this.#settleInFull(one));
    this.#restIfIdle();
    const lost = await renewAll(this.#committer, {
      running: this.#running,
      runtime: this.#runtime,
    });
    for (const runId of lost) this.#onLost(runId);
  }
}

/** An address's window only fills up, and a full shard is only a reason to look at all of them. */
function isFinalCount(result: Count | RunDecision): boolean {
  return "full" in result || ("refused" in result && result.refused.scope === "ip");
}
