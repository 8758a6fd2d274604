import { z } from "zod";
import { base64url, sha256 } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted, updateRecord } from "../values/record.ts";
import {
  detailsKey,
  type FactorProof,
  NO_DETAILS,
  type SignInDetails,
  signInDetailsSchema,
} from "./sign_in_details.ts";

/** A sign-in ends this long after its last use. */
export const SIGN_IN_TTL_MS = 12 * 3_600_000;
/** A use so soon after the last one is not stored: most requests cost no write. */
const MIN_EXTENSION_MS = 60_000;
/** A sign-in ends this long after the password was given, even if it is used. */
export const SIGN_IN_MAX_MS = 7 * 86_400_000;
/** How long the second factor may take after the first. */
export const PENDING_SIGN_IN_MS = 10 * 60_000;
/** How long an ended sign-in stays stored, so that the browser can be shown why it ended. */
const ENDED_TTL_MS = 86_400_000;

export const signInRecordSchema = z.object({
  v: z.literal(1),
  tenant: z.uuid(),
  userId: z.uuid(),
  /** When the password was given that started it. */
  createdAt: z.int(),
  /** The user's at the start: a sign-in ends when the user's changes. */
  epoch: z.int().default(0),
  /** When the password was last given; absent if only at the start. */
  provenAt: z.int().optional(),
  /** Milliseconds. This decides; `expireIn` only collects garbage, up to a minute late. */
  exp: z.int(),
});
type SignInRecord = z.infer<typeof signInRecordSchema>;
/** The user of a sign-in. */
export type SignIn = Pick<SignInRecord, "tenant" | "userId" | "epoch">;

/** When the password of a sign-in was first and last given. */
export type PasswordTimes = { createdAt: number; provenAt: number };

/** Why a sign-in ended by itself: twelve hours without use, or seven days old. */
export type SignInEnd = "unused" | "too_old";

/** Details of a sign-in or sign-out for the audit log. */
export interface SignInAudit {
  /** The user's email. */
  name: string;
  address: string;
  /** The kind of second factor that was proven. */
  factor?: string | undefined;
}

/** A sign-in that has not ended. */
export interface LiveSignIn extends SignIn, PasswordTimes {
  /** The SHA-256 of its cookie. */
  hash: string;
  entry: Deno.KvEntryMaybe<unknown>;
}

export interface NewSignIn {
  replaces?: PasswordTimes | undefined;
  details?: SignInDetails | undefined;
  /** It ends soon unless a second factor is proven. */
  isPending?: boolean;
  audit?: SignInAudit | undefined;
  /** Adds what belongs to the sign-in of this key to its step. */
  also?: ((step: Deno.AtomicOperation, key: Deno.KvKey) => void) | undefined;
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
   * another keeps its times, because otherwise a stolen cookie could be renewed without the password.
   */
  async create(signIn: SignIn, options: NewSignIn = {}): Promise<string> {
    const { token, step } = await this.#begin(signIn, options);
    await step.commit();
    return token;
  }

  /** As `create`, as old as the live sign-in of a token; `undefined` if that has ended. */
  replace(
    token: string,
    signIn: SignIn,
    { details }: Pick<NewSignIn, "details">,
  ): Promise<string | undefined> {
    return retryUntilCommitted(async () => {
      const live = await this.read(token);
      if (live === undefined) return { token: undefined };
      const { createdAt, provenAt } = live;
      const begun = await this.#begin(signIn, { details, replaces: { createdAt, provenAt } });
      begun.step.check(live.entry);
      return (await begun.step.commit()).ok
        ? { token: begun.token as string | undefined }
        : undefined;
    }, { what: "sign-in" }).then(({ token }) => token);
  }

  async #begin(
    signIn: SignIn,
    { replaces, details, isPending = false, audit, also }: NewSignIn,
  ): Promise<{ token: string; step: Deno.AtomicOperation }> {
    const token = base64url(this.#runtime.randomBytes(32));
    const now = this.#runtime.now();
    const times = replaces ?? { createdAt: now };
    const latest = expiryAfterUse(times.createdAt, now);
    const exp = isPending ? Math.min(latest, now + PENDING_SIGN_IN_MS) : latest;
    const record = { v: 1 as const, ...signIn, ...times, exp };
    const key = await cookieKey(token);
    const step = this.#kv.atomic().set(key, record, storedUntil(exp, now));
    setDetails(step, { ...signIn, hash: String(key.at(-1)) }, { details, exp, now });
    also?.(step, key);
    if (audit) this.#record(step, signIn, { action: "signed in", audit });
    return { token, step };
  }

  /** The live sign-in of a cookie token, without extending it. */
  async read(token: string): Promise<LiveSignIn | undefined> {
    const entry = await this.#kv.get(await cookieKey(token));
    const record = parseRecord(signInRecordSchema, entry);
    if (record === undefined || hasEnded(record, this.#runtime.now())) return undefined;
    return { ...toSignIn(record), hash: String(entry.key.at(-1)), entry };
  }

  /**
   * Extends a sign-in that is used now, and stores where. `entry` is that of its details: a second factor
   * that is proven at the same time stays.
   */
  async extend(
    live: LiveSignIn,
    { entry, details }: { entry: Deno.KvEntryMaybe<unknown>; details: SignInDetails },
  ): Promise<void> {
    const record = parseRecord(signInRecordSchema, live.entry)!;
    const now = this.#runtime.now();
    const exp = expiryAfterUse(record.createdAt, now);
    if (exp - record.exp < MIN_EXTENSION_MS) return;
    // Checked, so that a concurrent sign-out is not undone; if it fails, another request extended it.
    const step = this.#kv.atomic().check(live.entry, entry);
    step.set(live.entry.key, { ...record, exp }, storedUntil(exp, now));
    await setDetails(step, live, { details, exp, now }).commit();
  }

  /** Records that the user of a sign-in has proven a second factor now; nothing if it has ended. */
  async recordFactor(token: string, kind: FactorProof["kind"]): Promise<void> {
    await this.changeDetails(token, ({ details }) => {
      return { ...details, factor: { kind, at: this.#runtime.now() } };
    });
  }

  /**
   * Changes what is stored with a live sign-in, and whatever `change` adds to the step. False if the sign-in
   * has ended, or if `change` returns nothing. It can run again.
   */
  changeDetails(
    token: string,
    change: (
      of: { live: LiveSignIn; details: SignInDetails; step: Deno.AtomicOperation },
    ) => SignInDetails | undefined | Promise<SignInDetails | undefined>,
  ): Promise<boolean> {
    return retryUntilCommitted(async () => {
      const live = await this.read(token);
      if (live === undefined) return false;
      const now = this.#runtime.now();
      const { exp } = parseRecord(signInRecordSchema, live.entry)!;
      const entry = await this.#kv.get(detailsKey(live));
      const known = parseRecord(signInDetailsSchema, entry) ?? NO_DETAILS;
      const step = this.#kv.atomic().check(live.entry, entry);
      const details = await change({ live, details: known, step });
      if (details === undefined) return false;
      return (await setDetails(step, live, { details, exp, now }).commit()).ok || undefined;
    }, { what: "sign-in" });
  }

  /** Why the sign-in of a cookie token ended; `undefined` if it is live or no longer stored. */
  async endReason(token: string): Promise<SignInEnd | undefined> {
    const record = parseRecord(signInRecordSchema, await this.#kv.get(await cookieKey(token)));
    if (record === undefined || !hasEnded(record, this.#runtime.now())) return undefined;
    // It never signed in.
    if (record.exp <= record.createdAt + PENDING_SIGN_IN_MS) return undefined;
    return record.exp >= record.createdAt + SIGN_IN_MAX_MS ? "too_old" : "unused";
  }

  /** Records that the password was given again now; does nothing if the sign-in has ended. */
  async recordPasswordCheck(token: string): Promise<void> {
    const key = await cookieKey(token);
    const location = { key, schema: signInRecordSchema, what: "sign-in" };
    await updateRecord(this.#kv, location, (record, save) => {
      const now = this.#runtime.now();
      if (record === undefined || hasEnded(record, now)) return;
      save({ ...record, provenAt: now }, storedUntil(record.exp, now));
    });
  }

  /** Ends a sign-in. */
  async delete(token: string, { audit }: { audit?: SignInAudit | undefined } = {}): Promise<void> {
    const entry = await this.#kv.get(await cookieKey(token));
    const record = parseRecord(signInRecordSchema, entry);
    if (record === undefined) return;
    const step = this.#kv.atomic().delete(entry.key);
    step.delete(detailsKey({ ...record, hash: String(entry.key.at(-1)) }));
    if (audit && !hasEnded(record, this.#runtime.now())) {
      this.#record(step, record, { action: "signed out", audit });
    }
    await step.commit();
  }

  #record(
    step: Deno.AtomicOperation,
    { tenant, userId }: SignIn,
    { action, audit: { name, address, factor } }: { action: string; audit: SignInAudit },
  ): void {
    const target = { id: userId, name };
    const after = { address, ...factor !== undefined && { factor } };
    const change = { tenant, kind: "sign-in" as const, action, target, after };
    recordChange(step, this.#runtime, change);
  }
}

function setDetails(
  step: Deno.AtomicOperation,
  name: { tenant: string; userId: string; hash: string },
  { details = NO_DETAILS, exp, now }: {
    details?: SignInDetails | undefined;
    exp: number;
    now: number;
  },
): Deno.AtomicOperation {
  const { device, network, factor, acting } = details;
  const more = { ...factor && { factor }, ...acting && { acting } };
  const record = { v: 1, device, network, ...more, usedAt: now, exp };
  return step.set(detailsKey(name), record, storedUntil(exp, now));
}

export function toSignIn(record: SignInRecord): SignIn & PasswordTimes {
  const { tenant, userId, epoch, createdAt, provenAt = createdAt } = record;
  return { tenant, userId, epoch, createdAt, provenAt };
}

function expiryAfterUse(createdAt: number, now: number): number {
  return Math.min(now + SIGN_IN_TTL_MS, createdAt + SIGN_IN_MAX_MS);
}

function storedUntil(exp: number, now: number): { expireIn: number } {
  return { expireIn: exp - now + ENDED_TTL_MS };
}

/** A record of an earlier release may have an expiry after the seven days. */
export function hasEnded({ exp, createdAt }: SignInRecord, now: number): boolean {
  return Math.min(exp, createdAt + SIGN_IN_MAX_MS) <= now;
}

/** The key of a cookie's sign-in, which is deleted when it ends early. */
export async function cookieKey(token: string): Promise<Deno.KvKey> {
  return keys.signIn(await sha256(token));
}
