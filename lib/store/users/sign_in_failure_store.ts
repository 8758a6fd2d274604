import { z } from "zod";
import { sha256 } from "../../platform/crypto/hashing.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, retryUntilCommitted } from "../values/record.ts";

/** Failures of one account from one place within the window that lock the pair. */
export const MAX_FAILURES = 5;
export const FAILURE_WINDOW_MS = 15 * 60_000;
/** Kept for one account, whoever tries: it bounds the record, whose size a stranger must not choose. */
const MAX_STORED = 100;

const failuresRecordSchema = z.object({
  v: z.literal(2),
  failures: z.array(z.object({ at: z.int(), place: z.string() })),
});

/** How an account stands, seen from one place. */
export interface FailureState {
  /** Milliseconds until the pair is unlocked; 0 when it is not locked. */
  waitMs: number;
  /** Recent failures from this place. */
  here: number;
  /** Recent failures from other places, at most 100. */
  elsewhere: number;
}

/**
 * Failed sign-ins of an account by place: an address, or a browser that is known. One record for each
 * e-mail that was tried, under its hash, whether an account has it or not. The record is written only
 * for an attempt whose password is about to be checked, so the hashing slots bound the writes.
 */
export class SignInFailureStore {
  #kv: Deno.Kv;
  #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async read(email: string, place: string): Promise<FailureState> {
    return failureState(
      this.#recent(await this.#kv.get(await failuresKey(email))),
      place,
      this.#runtime.now(),
    );
  }

  /**
   * Counts an attempt as a failure until `clear` says otherwise, unless the pair is locked. It is
   * counted before its password is checked, or attempts sent at once would all pass.
   */
  async recordAttempt(email: string, place: string): Promise<FailureState> {
    const key = await failuresKey(email);
    const attempt = async (): Promise<FailureState | undefined> => {
      const entry = await this.#kv.get(key);
      const now = this.#runtime.now();
      const recent = this.#recent(entry);
      const state = failureState(recent, place, now);
      if (state.waitMs > 0) return state;
      const failures = [...recent, { at: now, place }].slice(-MAX_STORED);
      const expireIn = FAILURE_WINDOW_MS;
      const step = this.#kv.atomic().check(entry).set(key, { v: 2, failures }, { expireIn });
      return (await step.commit()).ok ? { ...state, here: state.here + 1 } : undefined;
    };
    return await retryUntilCommitted(attempt, { what: "sign-in failures", tries: 1000 });
  }

  /** Forgets the failures of an account from a place where its password was given. */
  async clear(email: string, place: string): Promise<void> {
    const key = await failuresKey(email);
    const attempt = async (): Promise<true | undefined> => {
      const entry = await this.#kv.get(key);
      const failures = this.#recent(entry).filter((one) => one.place !== place);
      const step = this.#kv.atomic().check(entry);
      if (failures.length === 0) step.delete(key);
      else step.set(key, { v: 2, failures }, { expireIn: FAILURE_WINDOW_MS });
      return (await step.commit()).ok || undefined;
    };
    await retryUntilCommitted(attempt, { what: "sign-in failures", tries: 1000 });
  }

  #recent(entry: Deno.KvEntryMaybe<unknown>): Failure[] {
    const since = this.#runtime.now() - FAILURE_WINDOW_MS;
    return (parseRecord(failuresRecordSchema, entry)?.failures ?? []).filter(({ at }) =>
      at > since
    );
  }
}

type Failure = z.infer<typeof failuresRecordSchema>["failures"][number];

function failureState(recent: readonly Failure[], place: string, now: number): FailureState {
  const here = recent.filter((one) => one.place === place);
  const locked = here.length >= MAX_FAILURES;
  return {
    waitMs: locked ? here.at(-MAX_FAILURES)!.at + FAILURE_WINDOW_MS - now : 0,
    here: here.length,
    elsewhere: recent.length - here.length,
  };
}

/** Hashed, because people type passwords into the field for the e-mail. */
async function failuresKey(email: string): Promise<Deno.KvKey> {
  return keys.signInFailures(await sha256(email));
}
