import { z } from "zod";
import { sha256 } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord, updateRecord } from "../values/record.ts";

/** Failures for one email from one place within the window that lock the pair. */
export const MAX_FAILURES = 5;
export const FAILURE_WINDOW_MS = 15 * 60_000;
/** Failures stored for one email: bounds the record, whose size strangers could choose otherwise. */
const MAX_STORED = 100;

const failuresRecordSchema = z.object({
  v: z.literal(2),
  failures: z.array(z.object({ at: z.int(), place: z.string() })),
});
type Failure = z.infer<typeof failuresRecordSchema>["failures"][number];

/** The recent failures for an email, seen from one place. */
export interface FailureState {
  /** Milliseconds until the pair is unlocked; 0 if it is not locked. */
  waitMs: number;
  /** Recent failures from this place. */
  here: number;
  /** Recent failures from other places, at most 100. */
  elsewhere: number;
}

/**
 * Failed sign-ins by email and place: an address, or a known browser. There is one record per attempted
 * email, under its hash, whether or not a user has it. It is written only for an attempt whose password is
 * about to be checked, so the limit on concurrent hashing also limits the writes.
 */
export class SignInFailureStore {
  #kv: Deno.Kv;
  #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async read(email: string, place: string): Promise<FailureState> {
    const record = parseRecord(failuresRecordSchema, await this.#kv.get(await failuresKey(email)));
    const now = this.#runtime.now();
    return failureState(recentFailures(record?.failures, now), place, now);
  }

  /**
   * Counts an attempt as a failure until `clear`, unless the pair is locked. Called before the password is
   * checked, because otherwise concurrent attempts would all pass.
   */
  recordAttempt(email: string, place: string): Promise<FailureState> {
    return this.#update(email, (recent, save): FailureState => {
      const now = this.#runtime.now();
      const state = failureState(recent, place, now);
      if (state.waitMs > 0) return state;
      save([...recent, { at: now, place }].slice(-MAX_STORED));
      return { ...state, here: state.here + 1 };
    });
  }

  /** Clears the failures for an email from a place where its password was given. */
  clear(email: string, place: string): Promise<void> {
    return this.#update(email, (recent, save) => save(recent.filter((one) => one.place !== place)));
  }

  async #update<R>(
    email: string,
    change: (recent: readonly Failure[], save: (failures: readonly Failure[]) => void) => R,
  ): Promise<R> {
    const key = await failuresKey(email);
    const record = { key, schema: failuresRecordSchema, what: "sign-in failures", tries: 1000 };
    return await updateRecord(this.#kv, record, (stored, save) => {
      const recent = recentFailures(stored?.failures, this.#runtime.now());
      return change(recent, (failures) => {
        const value = failures.length === 0 ? undefined : { v: 2, failures };
        save(value, { expireIn: FAILURE_WINDOW_MS });
      });
    });
  }
}

function recentFailures(failures: readonly Failure[] = [], now: number): readonly Failure[] {
  return failures.filter(({ at }) => at > now - FAILURE_WINDOW_MS);
}

function failureState(recent: readonly Failure[], place: string, now: number): FailureState {
  const here = recent.filter((one) => one.place === place);
  const isLocked = here.length >= MAX_FAILURES;
  return {
    waitMs: isLocked ? here.at(-MAX_FAILURES)!.at + FAILURE_WINDOW_MS - now : 0,
    here: here.length,
    elsewhere: recent.length - here.length,
  };
}

/** Hashed, because people type passwords into the email field. */
async function failuresKey(email: string): Promise<Deno.KvKey> {
  return keys.signInFailures(await sha256(email));
}
