import { isoTime, type Runtime } from "../platform/runtime.ts";
import type {
  LimitPeriod,
  VisitorLimitsBody,
  VisitorLimitsReport,
  VisitorUsage,
} from "../schemas/visitor.ts";
import type { ContentCipher } from "../store/encryption/content_cipher.ts";
import { keys } from "../store/keys/keys.ts";
import type { GroupCommitter } from "../store/tx/group_committer.ts";
import { parseRecord } from "../store/values/record.ts";
import {
  type VisitorAccount,
  visitorAccountSchema,
  type VisitorLimits,
} from "../store/visitors/visitor_account_record.ts";
import { visitorHash } from "../store/visitors/visitor_ids.ts";
import { toMicroUsd, toUsd } from "./micro_usd.ts";
import {
  accountRetention,
  NEW_ACCOUNT,
  remainingMessages,
  remainingVisitorBudget,
  untilReset,
  usedIn,
} from "./visitor_account.ts";

export interface VisitorAccountsDeps {
  kv: Deno.Kv;
  committer: GroupCommitter;
  content: ContentCipher;
  runtime: Pick<Runtime, "now">;
}

/** The period of usage that is reported for a visitor without limits. */
const DEFAULT_PERIOD: LimitPeriod = "month";

/** What visitors may use and have used; runs draw on it in the commits that admit and settle them. */
export class VisitorAccounts {
  readonly #deps: VisitorAccountsDeps;

  constructor(deps: VisitorAccountsDeps) {
    this.#deps = deps;
  }

  /** Replaces the limits; what was used in the period still counts. Unchanged limits write nothing. */
  async setLimits(tenant: string, id: string, body: VisitorLimitsBody): Promise<void> {
    const { committer, content } = this.#deps;
    const key = keys.visitorAccount(tenant, visitorHash(content, tenant, id));
    const limits = toLimits(body);
    await committer.run({
      keys: [key],
      decide(tx) {
        const account = tx.get<VisitorAccount>(key) ?? NEW_ACCOUNT;
        if (isSame(account.limits, limits)) return;
        const next = { ...account, limits };
        tx.set(key, next, accountRetention(next));
      },
    });
  }

  /** The limits and what is left of them; without limits, nothing. */
  async limits(tenant: string, id: string): Promise<VisitorLimitsReport> {
    return await this.limitsOf(tenant, visitorHash(this.#deps.content, tenant, id));
  }

  /** The same for the visitor with a hash. */
  async limitsOf(tenant: string, hash: string): Promise<VisitorLimitsReport> {
    const account = await this.#read(tenant, hash);
    const { limits } = account;
    if (limits === undefined) return {};
    const { cost, messages, per } = limits;
    const now = this.#deps.runtime.now();
    const left = Math.max(0, remainingVisitorBudget(account, { now }));
    return {
      ...cost !== undefined && { costUsd: { limit: toUsd(cost), left: toUsd(left) } },
      ...messages !== undefined && {
        messages: { limit: messages, left: remainingMessages(account, now) },
      },
      per,
      ...resetsAt(per, now),
    };
  }

  async usage(tenant: string, id: string): Promise<VisitorUsage> {
    const account = await this.#read(tenant, visitorHash(this.#deps.content, tenant, id));
    const now = this.#deps.runtime.now();
    const per = account.limits?.per ?? DEFAULT_PERIOD;
    const report = ({ cost, ...used }: VisitorAccount["total"]) => {
      return { costUsd: toUsd(cost), ...used };
    };
    return {
      per,
      ...resetsAt(per, now),
      ...report(usedIn(account, per, now)),
      total: report(account.total),
    };
  }

  /**
   * Deletes what a visitor has used; `hash` is the visitor's. With limits, what counts towards them stays
   * until they reset: otherwise a visitor could ask to be deleted in order to start again.
   */
  async forget(tenant: string, hash: string): Promise<void> {
    const key = keys.visitorAccount(tenant, hash);
    const now = this.#deps.runtime.now();
    await this.#deps.committer.run({
      keys: [key],
      decide(tx) {
        const account = tx.get<VisitorAccount>(key);
        if (account === undefined) return;
        const { limits, runs } = account;
        if (limits === undefined) return tx.delete(key);
        const { per } = limits;
        const left = untilReset(per, now);
        const counted = per === "total" ? { total: account.total } : {
          ...per === "day" && { days: account.days },
          ...per === "month" && { months: account.months },
        };
        const next = { ...NEW_ACCOUNT, limits, runs, ...counted };
        tx.set(key, next, left === undefined ? {} : { expireIn: left });
      },
    });
  }

  async #read(tenant: string, hash: string): Promise<VisitorAccount> {
    const entry = await this.#deps.kv.get(keys.visitorAccount(tenant, hash));
    return parseRecord(visitorAccountSchema, entry) ?? NEW_ACCOUNT;
  }
}

function toLimits({ costUsd, messages, per }: VisitorLimitsBody): VisitorLimits {
  return {
    ...costUsd !== undefined && { cost: toMicroUsd(costUsd) },
    ...messages !== undefined && { messages },
    per,
  };
}

function isSame(a: VisitorLimits | undefined, b: VisitorLimits): boolean {
  return a !== undefined && a.cost === b.cost && a.messages === b.messages && a.per === b.per;
}

function resetsAt(per: LimitPeriod, now: number): { resetsAt?: string } {
  const left = untilReset(per, now);
  return left === undefined ? {} : { resetsAt: isoTime(now + left) };
}
