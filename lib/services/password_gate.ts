import { sha256 } from "../platform/crypto/signer.ts";
import {
  FAILURE_WINDOW_MS,
  MAX_FAILURES,
  type SignInFailureStore,
} from "../store/users/sign_in_failure_store.ts";
import type { Runtime } from "../platform/runtime.ts";
import { addressBlock } from "../platform/address_block.ts";
import { SlidingWindowLimiter } from "../platform/sliding_window_limiter.ts";
import { FairQueue, type FairTask } from "../platform/fair_queue.ts";
import { Throttle } from "../platform/throttle.ts";
import { unlessBusy } from "../platform/busy_error.ts";

/** A hash takes about 0.3 s and 32 MiB, so at most two run concurrently. */
const HASHING = {
  concurrency: 2,
  concurrencyPerClient: 1,
  maxWaiting: 64,
  maxWaitingPerClient: 16,
};
/** Wrong passwords from one address across all accounts: enough for an office, too few for guessing. */
const ADDRESS_FAILURES = { limit: 30, windowMs: FAILURE_WINDOW_MS };
/**
 * Delay before rejecting an unknown client: 40 connections that retry without a pause then get 40
 * responses a second instead of hundreds, which leaves the CPU to legitimate sign-ins.
 */
const REJECTION_DELAY_MS = 1_000;
/** Maximum delayed rejections; any more are sent immediately. */
const MAX_DELAYED = 256;
/** From this many failures elsewhere on, attempts by unknown clients are slowed down. */
const SPREAD_FAILURES = 20;

/** `too_many_tries` may retry after `retryAfterMs`; `busy` means too many concurrent checks. */
export type PasswordRejection =
  | { rejected: "too_many_tries"; retryAfterMs: number }
  | { rejected: "busy" };

/** One attempt to sign in to an account. */
export interface PasswordAttempt {
  /** Lower-cased; need not belong to an account. */
  email: string;
  address: string;
  /** The credential that the client presented: a known browser, or a live sign-in. */
  credential?: {
    /** Failures are counted under it. */
    name: string;
    /** Reject it after too many failures, instead of treating it as an unknown client. */
    only?: boolean;
  } | undefined;
}

/** Receives rejected and failed attempts, for the log. */
export interface PasswordGateEvents {
  /** A password was wrong. `locked` is true for the failure that locks the account for this client. */
  failed(attempt: PasswordAttempt, state: { locked: boolean; slowed: boolean }): void;
  /** An attempt was rejected without checking its password. */
  rejected(attempt: Pick<PasswordAttempt, "address">, reason: "address" | "pair" | "busy"): void;
}

export interface PasswordGateOptions {
  failures: SignInFailureStore;
  runtime: Pick<Runtime, "now" | "sleep">;
  events?: PasswordGateEvents | undefined;
}

/** The name failures are counted under: the credential if there is one, else the address. */
type FailureScope = { name: string; known: boolean };

/**
 * Limits password attempts before hashing, so that no attacker blocks other users' sign-ins. An address
 * with many failures is rejected from memory, before any read, write or hash. The remaining attempts
 * share the hashing slots fairly by address. An account is never locked for everyone: it is locked for
 * the client that guessed, and during a distributed attack attempts by unknown clients are slowed down.
 */
export class PasswordGate {
  readonly #options: PasswordGateOptions;
  readonly #queue = new FairQueue(HASHING);
  readonly #addresses = new SlidingWindowLimiter(ADDRESS_FAILURES);
  readonly #throttle: Throttle;
  #delayed = 0;

  constructor(options: PasswordGateOptions) {
    this.#options = options;
    this.#throttle = new Throttle(options.runtime);
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Hashes for a caller who is already authenticated by a live sign-in or a link. */
  run<T>(client: string, work: () => Promise<T>): Promise<T | { rejected: "busy" }> {
    return this.#inSlot({ client, preferred: true }, work);
  }

  /** Checks a password; `check` returns `undefined` if it is wrong. */
  async attempt<T>(
    attempt: PasswordAttempt,
    check: () => Promise<T | undefined>,
  ): Promise<{ right: T } | { rejected: "wrong_password" } | PasswordRejection> {
    const scope = await this.#scopeOf(attempt);
    if (scope.known) return await this.#check(attempt, scope, check);
    const at = this.#options.runtime.now();
    const wait = this.#addresses.take(scope.name, at);
    if (wait > 0) {
      this.#options.events?.rejected(attempt, "address");
      await this.#delayRejection();
      return { rejected: "too_many_tries", retryAfterMs: wait };
    }
    const result = await this.#check(attempt, scope, check);
    const busy = "rejected" in result && result.rejected === "busy";
    if (busy || "right" in result) this.#addresses.refund(scope.name, at);
    if (busy) await this.#delayRejection();
    return result;
  }

  async #delayRejection(): Promise<void> {
    if (this.#delayed >= MAX_DELAYED) return;
    this.#delayed++;
    await this.#options.runtime.sleep(REJECTION_DELAY_MS).finally(() => this.#delayed--);
  }

  /** A known browser with too many failures is treated as an unknown client. */
  async #scopeOf({ email, address, credential }: PasswordAttempt): Promise<FailureScope> {
    const stranger = { name: addressBlock(address), known: false };
    if (credential === undefined) return stranger;
    const known = { name: credential.name, known: true };
    if (credential.only) return known;
    const { waitMs } = await this.#options.failures.read(email, known.name);
    return waitMs > 0 ? stranger : known;
  }

  async #check<T>(
    attempt: PasswordAttempt,
    scope: FailureScope,
    check: () => Promise<T | undefined>,
  ): Promise<{ right: T } | { rejected: "wrong_password" } | PasswordRejection> {
    const { email } = attempt;
    const { failures, events } = this.#options;
    const { waitMs, elsewhere } = await failures.read(email, scope.name);
    if (waitMs > 0) return this.#locked(attempt, waitMs);
    const slowed = !scope.known && elsewhere >= SPREAD_FAILURES;
    if (slowed) {
      const retryAfterMs = await this.#throttle.wait(await sha256(email));
      if (retryAfterMs > 0) return this.#locked(attempt, retryAfterMs);
    }
    const task = { client: scope.name, preferred: scope.known };
    const result = await this.#inSlot(task, async () => {
      const state = await failures.recordAttempt(email, scope.name);
      if (state.waitMs > 0) return this.#locked(attempt, state.waitMs);
      const right = await check();
      if (right === undefined) {
        events?.failed(attempt, { locked: state.here >= MAX_FAILURES, slowed });
        return { rejected: "wrong_password" as const };
      }
      await failures.clear(email, scope.name);
      return { right };
    });
    if ("rejected" in result && result.rejected === "busy") events?.rejected(attempt, "busy");
    return result;
  }

  #locked(attempt: PasswordAttempt, retryAfterMs: number): PasswordRejection {
    this.#options.events?.rejected(attempt, "pair");
    return { rejected: "too_many_tries", retryAfterMs };
  }

  #inSlot<T>(task: FairTask, work: () => Promise<T>): Promise<T | { rejected: "busy" }> {
    return unlessBusy(() => this.#queue.run(task, work));
  }
}
