import { z } from "zod";
import { base64url, sha256 } from "../credentials/hashing.ts";
import type { System } from "../system.ts";
import { keys } from "./keys.ts";
import { parseRecord, untilCommitted } from "./record.ts";

/** A sign-in ends this long after its last use. */
export const SIGN_IN_TTL_MS = 12 * 3_600_000;
/** A use this soon after the last one is not written down: most requests cost no write. */
const SLIDE_AFTER_MS = 60_000;
/** Tries of one account from one address within the window that lock the pair. */
const MAX_FAILURES = 5;
const FAILURE_WINDOW_MS = 15 * 60_000;

const signInRecordSchema = z.object({
  v: z.literal(1),
  tenant: z.uuid(),
  userId: z.uuid(),
  createdAt: z.int(),
  /** The user's when it began: a sign-in ends when theirs moves on. */
  epoch: z.int().default(0),
  /** When the password was last given; with the sign-in itself unless it was again. */
  provenAt: z.int().optional(),
  /** Milliseconds. Decides; `expireIn` only collects garbage, up to a minute late. */
  exp: z.int(),
});
/** Whom a cookie stands for. */
export type SignIn = Pick<z.infer<typeof signInRecordSchema>, "tenant" | "userId" | "epoch">;

const failuresRecordSchema = z.object({ v: z.literal(1), at: z.array(z.int()) });

/** Dashboard sign-ins, stored under a hash of their cookie, and the failures that lock a pair. */
export class SignInStore {
  #kv: Deno.Kv;
  #system: System;

  constructor(kv: Deno.Kv, system: System) {
    this.#kv = kv;
    this.#system = system;
  }

  /** Starts a sign-in and returns the new cookie token: 256 random bits in base64url. */
  async create(signIn: SignIn): Promise<string> {
    const token = base64url(this.#system.randomBytes(32));
    const now = this.#system.now();
    const record = { v: 1, ...signIn, createdAt: now, exp: now + SIGN_IN_TTL_MS };
    await this.#kv.set(await cookieKey(token), record, { expireIn: SIGN_IN_TTL_MS });
    return token;
  }

  /** The live sign-in behind a cookie token, its end moved on by the use. */
  async use(token: string): Promise<SignIn & { provenAt: number } | undefined> {
    const key = await cookieKey(token);
    const entry = await this.#kv.get(key);
    const record = parseRecord(signInRecordSchema, entry);
    const now = this.#system.now();
    if (record === undefined || record.exp <= now) return undefined;
    const exp = now + SIGN_IN_TTL_MS;
    if (exp - record.exp >= SLIDE_AFTER_MS) {
      // Checked, so that a sign-out in between is not undone; a lost race means someone else slid it.
      const slid = this.#kv.atomic().check(entry);
      await slid.set(key, { ...record, exp }, { expireIn: SIGN_IN_TTL_MS }).commit();
    }
    const { tenant, userId, epoch, provenAt = record.createdAt } = record;
    return { tenant, userId, epoch, provenAt };
  }

  /** Notes that the password was given again just now; nothing where the sign-in has ended. */
  async prove(token: string): Promise<void> {
    const key = await cookieKey(token);
    const attempt = async (): Promise<true | undefined> => {
      const entry = await this.#kv.get(key);
      const record = parseRecord(signInRecordSchema, entry);
      const now = this.#system.now();
      if (record === undefined || record.exp <= now) return true;
      const next = { ...record, provenAt: now };
      const step = this.#kv.atomic().check(entry);
      return (await step.set(key, next, { expireIn: record.exp - now }).commit()).ok || undefined;
    };
    await untilCommitted(attempt, { what: "sign-in" });
  }

  async delete(token: string): Promise<void> {
    await this.#kv.delete(await cookieKey(token));
  }

  /**
   * Counts one try of an account from an address; 0 when it may go ahead, else milliseconds to wait.
   * The try is counted before its password is looked at, or tries sent at once would all pass.
   */
  takeTry(email: string, address: string): Promise<number> {
    const key = keys.signInFailures(email, address);
    const attempt = async (): Promise<number | undefined> => {
      const entry = await this.#kv.get(key);
      const now = this.#system.now();
      const recent = (parseRecord(failuresRecordSchema, entry)?.at ?? [])
        .filter((at) => at > now - FAILURE_WINDOW_MS);
      if (recent.length >= MAX_FAILURES) return recent[0]! + FAILURE_WINDOW_MS - now;
      const next = { v: 1, at: [...recent, now] };
      const expireIn = FAILURE_WINDOW_MS;
      const committed = await this.#kv.atomic().check(entry).set(key, next, { expireIn }).commit();
      return committed.ok ? 0 : undefined;
    };
    return untilCommitted(attempt, { what: "sign-in tries", tries: 1000 });
  }

  /** Gives one counted try back, when its password was never looked at. */
  async returnTry(email: string, address: string): Promise<void> {
    const key = keys.signInFailures(email, address);
    const attempt = async (): Promise<true | undefined> => {
      const entry = await this.#kv.get(key);
      const at = parseRecord(failuresRecordSchema, entry)?.at ?? [];
      if (at.length === 0) return true;
      const next = { v: 1, at: at.slice(0, -1) };
      const expireIn = FAILURE_WINDOW_MS;
      const committed = await this.#kv.atomic().check(entry).set(key, next, { expireIn }).commit();
      return committed.ok ? true : undefined;
    };
    await untilCommitted(attempt, { what: "sign-in tries", tries: 1000 });
  }

  /** Forgets the tries of a pair, once one of them succeeded. */
  async clearTries(email: string, address: string): Promise<void> {
    await this.#kv.delete(keys.signInFailures(email, address));
  }
}

async function cookieKey(token: string): Promise<Deno.KvKey> {
  return keys.signIn(await sha256(token));
}
