import { sha256 } from "../platform/crypto/hashing.ts";
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

/** A hash takes about 0.3 s and 32 MiB, so at most two run at once. */
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
/** From so many failures elsewhere on, strangers' attempts on an account are slowed down. */
const SPREAD_FAILURES = 20;

/** `too_many_tries` waits `retryAfterMs`; `busy` means that too many passwords are being checked. */
export type PasswordRejection =
  | { refused: "too_many_tries"; retryAfterMs: number }
  | { refused: "busy" };

/** One attempt to give an account's password. */
export interface PasswordAttempt {
  /** Lower-cased; an account need not have it. */
  email: string;
  /** The client's address. */
  address: string;
  /** What the client has shown of this account: a known browser, or a live sign-in. */
  credential?: {
    /** Failures are counted by it. */
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

/** The key failures are counted by: the credential if there is one, else the address. */
interface FailureScope {
  name: string;
  known: boolean;
}

/**
 * Limits password attempts before hashing, so that no attacker blocks other users' sign-ins. An address
 * with many failures is rejected from memory, before any read, write or hash. The remaining attempts
 * share the hashing slots fairly by address. An account is never locked for everyone: it is locked for
 * the client that guessed, and during a distributed attack attempts by unknown clients are slowed down.
 */
export class PasswordGate {
  readonly #failures: SignInFailureStore;
  readonly #runtime: Pick<Runtime, "now" | "sleep">;
  readonly #events: PasswordGateEvents | undefined;
  readonly #queue = new FairQueue(HASHING);
  readonly #addresses = new SlidingWindowLimiter(ADDRESS_FAILURES);
  readonly #pacer: Throttle;
  #delayed = 0;

  constructor({ failures, runtime, events }: PasswordGateOptions) {
    this.#failures = failures;
    this.#runtime = runtime;
    this.#events = events;
    this.#pacer = new Throttle(runtime);
  }

  /** Attempts waiting for a hashing slot. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Hashes for a caller who has already shown a credential, such as a live sign-in or a link. */
  run<T>(client: string, work: () => Promise<T>): Promise<T | { refused: "busy" }> {
    return this.#inSlot({ client, preferred: true }, work);
  }

  /** Checks a password; `check` returns `undefined` if it is wrong. */
  async attempt<T>(
    attempt: PasswordAttempt,
    check: () => Promise<T | undefined>,
  ): Promise<{ right: T } | { refused: "wrong_password" } | PasswordRejection> {
    const place = await this.#placeOf(attempt);
    if (place.known) return await this.#admitted(attempt, place, check);
    const at = this.#runtime.now();
    const wait = this.#addresses.take(place.name, at);
    if (wait > 0) {
      this.#events?.rejected(attempt, "address");
      await this.#delayRefusal();
      return { refused: "too_many_tries", retryAfterMs: wait };
    }
    const result = await this.#admitted(attempt, place, check);
    const busy = "refused" in result && result.refused === "busy";
    if (busy || "right" in result) this.#addresses.refund(place.name, at);
    if (busy) await this.#delayRefusal();
    return result;
  }

  async #delayRefusal(): Promise<void> {
    if (this.#delayed >= MAX_DELAYED) return;
    this.#delayed++;
    await this.#runtime.sleep(REJECTION_DELAY_MS).finally(() => this.#delayed--);
  }

  /** A known browser with too many failures is treated as an unknown client. */
  async #placeOf({ email, address, credential }: PasswordAttempt): Promise<FailureScope> {
    const stranger = { name: addressBlock(address), known: false };
    if (credential === undefined) return stranger;
    const known = { name: credential.name, known: true };
    if (credential.only) return known;
    const { waitMs } = await this.#failures.read(email, known.name);
    return waitMs > 0 ? stranger : known;
  }

  async #admitted<T>(
    attempt: PasswordAttempt,
    place: FailureScope,
    check: () => Promise<T | undefined>,
  ): Promise<{ right: T } | { refused: "wrong_password" } | PasswordRejection> {
    const { email } = attempt;
    const { waitMs, elsewhere } = await this.#failures.read(email, place.name);
    if (waitMs > 0) return this.#locked(attempt, waitMs);
    const slowed = !place.known && elsewhere >= SPREAD_FAILURES;
    if (slowed) {
      const retryAfterMs = await this.#pacer.wait(await sha256(email));
      if (retryAfterMs > 0) return this.#locked(attempt, retryAfterMs);
    }
    const task = { client: place.name, preferred: place.known };
    const result = await this.#inSlot(task, async () => {
      const state = await this.#failures.recordAttempt(email, place.name);
      if (state.waitMs > 0) return this.#locked(attempt, state.waitMs);
      const right = await check();
      if (right === undefined) {
        this.#events?.failed(attempt, { locked: state.here >= MAX_FAILURES, slowed });
        return { refused: "wrong_password" as const };
      }
      await this.#failures.clear(email, place.name);
      return { right };
    });
    if ("refused" in result && result.refused === "busy") this.#events?.rejected(attempt, "busy");
    return result;
  }

  #locked(attempt: PasswordAttempt, retryAfterMs: number): PasswordRejection {
    this.#events?.rejected(attempt, "pair");
    return { refused: "too_many_tries", retryAfterMs };
  }

  #inSlot<T>(task: FairTask, work: () => Promise<T>): Promise<T | { refused: "busy" }> {
    return unlessBusy(() => this.#queue.run(task, work));
  }
}
