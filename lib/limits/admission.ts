import type { Committer } from "../committer/committer.ts";
import type { Draft } from "../committer/operation.ts";
import { keys } from "../storage/keys.ts";
import { type Session, sessionExpireIn } from "../storage/session_store.ts";
import type { System } from "../system.ts";
import { type Caller, callerKeys, countRequest, type WindowLeft } from "./count_request.ts";
import type { Limits } from "./limits.ts";
import { isWindowRefusal, limitError, type LimitRefusal } from "./refusal.ts";
import {
  admitRun,
  currentLedger,
  LEASE_MS,
  renewLeases,
  settleRun,
  type TenantLedger,
  untilMidnight,
} from "./tenant_ledger.ts";

/** Three beats fit into a lease, so that one that is late or lost costs nothing. */
const HEARTBEAT_MS = LEASE_MS / 3;
/** Slots and holds of running runs come free at any moment: a hint, not a promise. */
const SOON_MS = 2_000;

/** What is left of the windows that a request was counted in. */
export interface RequestCount {
  ip: WindowLeft;
  key?: WindowLeft;
}

/** A message that was let in. */
export interface AdmittedRun extends RequestCount {
  /** The tenant's day is past its soft limit. */
  softLimitPassed: boolean;
}

/** A message that wants in. */
export interface RunRequest {
  runId: string;
  tenant: string;
  /** What its first step can cost at most, in micro-USD. */
  hold: number;
  limits: Limits;
  caller: Caller;
  /** SHA-256 of the session token, on the widget path. */
  sessionHash?: string | undefined;
}

type RunDecision = { admitted: AdmittedRun } | { refused: LimitRefusal } | { gone: true };

/** Every limit, decided on the committer: one commit lets a message in, one settles it. */
export class Admission {
  #committer: Committer;
  #system: System;
  #running = new Map<string, string>();
  #beating: AbortController | undefined;

  constructor(committer: Committer, system: System) {
    this.#committer = committer;
    this.#system = system;
  }

  /** Counts one request that is no message. Throws the 429 of the limit that is reached. */
  async countRequest(caller: Caller, limits: Limits): Promise<RequestCount> {
    const id = this.#requestId();
    const decided = await this.#committer.run({
      keys: callerKeys(caller),
      decide: (draft) => {
        const now = this.#system.now();
        const count = countRequest(draft, { caller, id, message: false, now, limits });
        if (!("refused" in count)) count.note();
        return count;
      },
      isFinal: () => true,
    });
    if ("refused" in decided) throw limitError(decided.refused);
    return decided;
  }

  /**
   * Lets one message in: counts the request and the message, takes a stream slot, sets its money
   * aside, all or nothing in one commit. Throws the 429 of the first limit that is reached; answers
   * `undefined` when the session has ended.
   */
  async admit(request: RunRequest): Promise<AdmittedRun | undefined> {
    const { caller, tenant, sessionHash } = request;
    const id = this.#requestId();
    const session = sessionHash === undefined ? [] : [keys.session(sessionHash)];
    const decided = await this.#committer.run<RunDecision>({
      keys: [...callerKeys(caller), keys.tenantLedger(tenant), ...session],
      decide: (draft) => this.#decide(draft, { ...request, id }),
      isFinal: (result) => "refused" in result && isWindowRefusal(result.refused),
      bytes: 4_096,
    });
    if ("refused" in decided) throw limitError(decided.refused);
    if ("gone" in decided) return undefined;
    this.#running.set(request.runId, tenant);
    this.#beat();
    return decided.admitted;
  }

  /** Charges a run and frees its slot; the second time changes nothing. */
  async settle(run: { runId: string; tenant: string; cost: number }): Promise<void> {
    const { runId, tenant, cost } = run;
    const key = keys.tenantLedger(tenant);
    await this.#committer.run({
      keys: [key],
      decide: (draft) => {
        const stored = draft.get<TenantLedger>(key);
        if (!Object.hasOwn(stored?.runs ?? {}, runId)) return;
        draft.set(key, settleRun(stored, { runId, cost, now: this.#system.now() }));
      },
    });
    this.#running.delete(runId);
    if (this.#running.size === 0) this.close();
  }

  /** Ends the heartbeat. */
  close(): void {
    this.#beating?.abort();
    this.#beating = undefined;
  }

  #requestId(): number {
    return new DataView(this.#system.randomBytes(4).buffer).getUint32(0);
  }

  /** All limits in order; nothing is written before the last of them has let the run pass. */
  #decide(draft: Draft, request: RunRequest & { id: number }): RunDecision {
    const now = this.#system.now();
    const { caller, id, runId, hold, limits } = request;
    const ledgerKey = keys.tenantLedger(request.tenant);
    const stored = draft.get<TenantLedger>(ledgerKey);
    const repeated = Object.hasOwn(currentLedger(stored, now).runs, runId);
    const count = countRequest(draft, { caller, id, message: true, now, limits });
    if ("refused" in count && !repeated) return count;
    const session = this.#session(draft, { ...request, now });
    if (!repeated && session.decision !== undefined) return session.decision;
    const { streams, hardDailyCost } = limits;
    const run = { runId, hold, now, limits: { streams, hardLimit: hardDailyCost } };
    const result = admitRun(stored, run);
    if ("refused" in result) {
      return { refused: this.#ledgerRefusal(result.refused, { limits, now, stored }) };
    }
    const softLimitPassed = result.ledger.spent >= limits.softDailyCost;
    // Our own commit of unknown outcome was made: it is told, and not counted twice.
    if (repeated || "refused" in count) {
      return { admitted: { ip: { limit: limits.ipRequests, remaining: 0 }, softLimitPassed } };
    }
    count.note();
    session.note();
    draft.set(ledgerKey, result.ledger);
    const { note: _, ...left } = count;
    return { admitted: { ...left, softLimitPassed } };
  }

  /** One message of the session, where there is one. */
  #session(
    draft: Draft,
    { sessionHash, now }: { sessionHash?: string | undefined; now: number },
  ): { decision?: RunDecision; note: () => void } {
    if (sessionHash === undefined) return { note: () => {} };
    const key = keys.session(sessionHash);
    const session = draft.get<Session>(key);
    const left = (session?.exp ?? 0) - now;
    if (session === undefined || left <= 0) return { decision: { gone: true }, note: () => {} };
    if (session.messages >= session.messageCap) {
      const limit = session.messageCap;
      const refused = { scope: "session_messages", limit, retryAfterMs: left } as const;
      return { decision: { refused }, note: () => {} };
    }
    const next: Session = { ...session, messages: session.messages + 1 };
    return { note: () => draft.set(key, next, { expireIn: sessionExpireIn(left) }) };
  }

  #ledgerRefusal(
    scope: "tenant_streams" | "tenant_daily_cost",
    { limits, now, stored }: { limits: Limits; now: number; stored: TenantLedger | undefined },
  ): LimitRefusal {
    if (scope === "tenant_streams") return { scope, limit: limits.streams, retryAfterMs: SOON_MS };
    const spent = currentLedger(stored, now).spent >= limits.hardDailyCost;
    const retryAfterMs = spent ? untilMidnight(now) : SOON_MS;
    return { scope, limit: limits.hardDailyCost / 1_000_000, windowSeconds: 86_400, retryAfterMs };
  }

  /** Renews the leases of this process while it has runs: one commit, whatever their number. */
  #beat(): void {
    if (this.#beating !== undefined) return;
    const beating = new AbortController();
    this.#beating = beating;
    const next = (): void => {
      this.#system.sleep(HEARTBEAT_MS, beating.signal).then(async () => {
        // A beat that fails is made up for by the next: a lease lasts three of them.
        await this.#renewAll().catch(() => {});
        if (!beating.signal.aborted) next();
      }, () => {});
    };
    next();
  }

  async #renewAll(): Promise<void> {
    const byTenant = Map.groupBy(this.#running, ([, tenant]) => tenant);
    await Promise.all([...byTenant].map(([tenant, runs]) => {
      const key = keys.tenantLedger(tenant);
      const runIds = runs.map(([runId]) => runId);
      return this.#committer.run({
        keys: [key],
        decide: (draft) => {
          const stored = draft.get<TenantLedger>(key);
          draft.set(key, renewLeases(stored, { runIds, now: this.#system.now() }));
        },
      });
    }));
  }
}
