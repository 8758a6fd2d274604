import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { addressBlock } from "../../platform/address_block.ts";
import { SlidingWindowLimiter } from "../../platform/sliding_window_limiter.ts";
import { runAs } from "../../store/audit/actor.ts";
import type { AccountLinkStore } from "../../store/users/account_link_store.ts";
import type { UserStore } from "../../store/users/user_store.ts";
import type { Mail, Mailer } from "./mailer.ts";

const QUARTER_MS = 15 * 60_000;
/** Requests of one address, for whichever accounts. */
const ADDRESS_REQUESTS = { limit: 5, windowMs: QUARTER_MS };
/** Mails to one account, in this process. */
const ACCOUNT_REQUESTS = { limit: 3, windowMs: 60 * 60_000 };
/** The time between two mails to one account, of all processes. */
const PAUSE_MS = 5 * 60_000;
/** Deliveries at a time; more requests are dropped, like those over a limit. */
const MAX_PENDING = 50;
/** The answer is on its way before any work that an account causes can delay it. */
const ANSWER_FIRST_MS = 50;
export const REQUESTED_RESET_TTL_MS = 60 * 60_000;

export interface ResetRequestDeps {
  users: Pick<UserStore, "findByEmail">;
  links: Pick<AccountLinkStore, "createResetLink" | "requestedAt">;
  runtime: Pick<Runtime, "now" | "sleep">;
  mailer: Pick<Mailer, "send">;
  log: Pick<Logger, "error">;
}

/**
 * Forgotten passwords: a stranger names an address, and its account gets a mail. Nothing that depends on
 * the account happens before the answer, so that neither its content nor its time says whether there is one.
 */
export class ResetRequests {
  readonly #deps: ResetRequestDeps;
  readonly #addresses = new SlidingWindowLimiter(ADDRESS_REQUESTS);
  readonly #accounts = new SlidingWindowLimiter(ACCOUNT_REQUESTS);
  readonly #pending = new Set<Promise<void>>();

  constructor(deps: ResetRequestDeps) {
    this.#deps = deps;
  }

  /** Counts a request of an address; 0 if it may proceed, else milliseconds to wait. */
  admit(address: string): number {
    return this.#addresses.take(addressBlock(address), this.#deps.runtime.now());
  }

  /** Sends the mail in the background. `email` is normalized; `compose` makes the mail of a token. */
  start(email: string, compose: (account: { to: string; token: string }) => Mail): void {
    if (this.#accounts.take(email, this.#deps.runtime.now()) > 0) return;
    if (this.#pending.size >= MAX_PENDING) return;
    const work = runAs({ kind: "anonymous" }, () => this.#send(email, compose))
      .catch((error) => this.#deps.log.error("cannot send a reset link", { error }))
      .finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  /** Resolves once nothing is being sent. */
  async idle(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #send(
    email: string,
    compose: (account: { to: string; token: string }) => Mail,
  ): Promise<void> {
    const { users, links, mailer, runtime } = this.#deps;
    await runtime.sleep(ANSWER_FIRST_MS);
    const user = await users.findByEmail(email);
    if (user === undefined) return;
    const earlier = await links.requestedAt(user);
    if (earlier !== undefined && runtime.now() - earlier < PAUSE_MS) return;
    const token = await links.createResetLink(user, {
      ttlMs: REQUESTED_RESET_TTL_MS,
      requested: true,
    });
    // To the account's own address, never to what was typed.
    await mailer.send(compose({ to: user.email, token }));
  }
}
