import { z } from "zod";
import { base64url, sha256 } from "../../platform/crypto/hashing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** A sign-in ends this long after its last use. */
export const SIGN_IN_TTL_MS = 12 * 3_600_000;
/** A use this soon after the last one is not written down: most requests cost no write. */
const MIN_EXTENSION_MS = 60_000;
/** A sign-in ends this long after the password was given, however much it is used. */
export const SIGN_IN_MAX_MS = 7 * 86_400_000;
/** How long an ended sign-in is remembered, so that its browser can be told why it ended. */
const ENDED_TTL_MS = 86_400_000;

const signInRecordSchema = z.object({
  v: z.literal(1),
  tenant: z.uuid(),
  userId: z.uuid(),
  /** When the password was given that began it. */
  createdAt: z.int(),
  /** The user's when it began: a sign-in ends when theirs moves on. */
  epoch: z.int().default(0),
  /** When the password was last given; with the sign-in itself unless it was again. */
  provenAt: z.int().optional(),
  /** Milliseconds. Decides; `expireIn` only collects garbage, up to a minute late. */
  exp: z.int(),
});
type SignInRecord = z.infer<typeof signInRecordSchema>;
/** Whom a cookie stands for. */
export type SignIn = Pick<SignInRecord, "tenant" | "userId" | "epoch">;

/** When the password of a sign-in was given: first, and last. */
export interface PasswordTimes {
  createdAt: number;
  provenAt: number;
}

/** Why a sign-in ended by itself: twelve hours without use, or seven days old. */
export type SignInEnd = "unused" | "too_old";

/** Who signs in or out, for the audit log. */
export interface SignInAudit {
  /** The user's e-mail. */
  name: string;
  address: string;
}

/** Dashboard sign-ins, stored under a hash of their cookie. */
export class SignInStore {
  #kv: Deno.Kv;
  #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /**
   * Starts a sign-in and returns the new cookie token: 256 random bits in base64url. One that replaces
   * another keeps its times, or a stolen cookie could be renewed without the password.
   */
  async create(
    signIn: SignIn,
    { replaces, audit }: { replaces?: PasswordTimes | undefined; audit?: SignInAudit } = {},
  ): Promise<string> {
    const token = base64url(this.#runtime.randomBytes(32));
    const now = this.#runtime.now();
    const times = replaces ?? { createdAt: now };
    const record = {
      v: 1 as const,
      ...signIn,
      ...times,
      exp: expiryAfterUse(times.createdAt, now),
    };
    const step = this.#kv.atomic();
    step.set(await cookieKey(token), record, { expireIn: record.exp - now + ENDED_TTL_MS });
    if (audit) this.#record(step, signIn, { action: "signed in", audit });
    await step.commit();
    return token;
  }

  /** The live sign-in behind a cookie token, its end moved on by the use. */
  async use(token: string): Promise<SignIn & PasswordTimes | undefined> {
    const entry = await this.#kv.get(await cookieKey(token));
    const record = parseRecord(signInRecordSchema, entry);
    const now = this.#runtime.now();
    if (record === undefined || hasEnded(record, now)) return undefined;
    const exp = expiryAfterUse(record.createdAt, now);
    if (exp - record.exp >= MIN_EXTENSION_MS) {
      // Checked, so that a sign-out in between is not undone; a lost race means someone else slid it.
      const slid = this.#kv.atomic().check(entry);
      const expireIn = exp - now + ENDED_TTL_MS;
      await slid.set(entry.key, { ...record, exp }, { expireIn }).commit();
    }
    const { tenant, userId, epoch, createdAt, provenAt = createdAt } = record;
    return { tenant, userId, epoch, createdAt, provenAt };
  }

  /** Why the sign-in of a cookie token is over; `undefined` where it is not, or nobody remembers. */
  async endReason(token: string): Promise<SignInEnd | undefined> {
    const record = parseRecord(signInRecordSchema, await this.#kv.get(await cookieKey(token)));
    const now = this.#runtime.now();
    if (record === undefined || !hasEnded(record, now)) return undefined;
    return record.exp >= record.createdAt + SIGN_IN_MAX_MS ? "too_old" : "unused";
  }

  /** Notes that the password was given again just now; nothing where the sign-in has ended. */
  async recordPasswordCheck(token: string): Promise<void> {
    const key = await cookieKey(token);
    const attempt = async (): Promise<true | undefined> => {
      const entry = await this.#kv.get(key);
      const record = parseRecord(signInRecordSchema, entry);
      const now = this.#runtime.now();
      if (record === undefined || hasEnded(record, now)) return true;
      const next = { ...record, provenAt: now };
      const step = this.#kv.atomic().check(entry);
      const expireIn = record.exp - now + ENDED_TTL_MS;
      return (await step.set(key, next, { expireIn }).commit()).ok || undefined;
    };
    await retryUntilCommitted(attempt, { what: "sign-in" });
  }

  /** Ends a sign-in. */
  async delete(token: string, { audit }: { audit?: SignInAudit | undefined } = {}): Promise<void> {
    const entry = await this.#kv.get(await cookieKey(token));
    const record = parseRecord(signInRecordSchema, entry);
    if (record === undefined) return;
    const step = this.#kv.atomic().delete(entry.key);
    if (audit && !hasEnded(record, this.#runtime.now())) {
      this.#record(step, record, { action: "signed out", audit });
    }
    await step.commit();
  }

  #record(
    step: Deno.AtomicOperation,
    { tenant, userId }: SignIn,
    { action, audit: { name, address } }: { action: string; audit: SignInAudit },
  ): void {
    const target = { id: userId, name };
    const change = { tenant, kind: "sign-in" as const, action, target, after: { address } };
    recordChange(step, this.#runtime, change);
  }
}

/** The end of a sign-in that is used now. */
function expiryAfterUse(createdAt: number, now: number): number {
  return Math.min(now + SIGN_IN_TTL_MS, createdAt + SIGN_IN_MAX_MS);
}

/** A record of an earlier version may name an end past the seven days. */
function hasEnded({ exp, createdAt }: SignInRecord, now: number): boolean {
  return Math.min(exp, createdAt + SIGN_IN_MAX_MS) <= now;
}

async function cookieKey(token: string): Promise<Deno.KvKey> {
  return keys.signIn(await sha256(token));
}
