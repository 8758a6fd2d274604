import { type Actor, runAs } from "../store/audit/actor.ts";
import type { Logger } from "../platform/log.ts";
import { INSTALLATION, recordChange } from "../store/audit/audit_record.ts";
import type { UserStore } from "../store/users/user_store.ts";
import { type Runtime, setTimer } from "../platform/runtime.ts";
import { addressBlock } from "../platform/address_block.ts";
import type { PasswordAttempt, PasswordGateEvents } from "./password_gate.ts";
import type { SignedInUser } from "./signed_in_user.ts";

/** Events of one kind, user and address within this time are merged into one entry. */
const WINDOW_MS = 60_000;
/** Maximum distinct entries per window; the rest are merged, since attackers have many addresses. */
const MAX_ENTRIES = 20;
const MANY_ADDRESSES = "many addresses";

const KINDS = {
  failed: "sign-in",
  "wrong code": "sign-in",
  "locked out": "sign-in",
  "slowed down": "sign-in",
  refused: "sign-in",
  "role not allowed": "access",
  "form of another site": "access",
  "key address not allowed": "access",
} as const;
type Action = keyof typeof KINDS;

interface Event {
  action: Action;
  address: string;
  /** The account's user; without one the entry belongs to the installation's log. */
  user?: Pick<SignedInUser, "id" | "tenant" | "email"> | undefined;
  /** The API key of the attempt; the entry belongs to its tenant. */
  apiKey?: { id: string; name: string; tenant: string };
  /** True if the user is signed in and so is the actor. */
  signedIn?: boolean;
  detail?: string | undefined;
}

interface Pending {
  event: Event;
  /** Occurrences that are not written yet. */
  times: number;
}

export interface SecurityLogOptions {
  kv: Deno.Kv;
  users: Pick<UserStore, "findByEmail">;
  runtime: Pick<Runtime, "now" | "uuid" | "sleep">;
  log: Logger;
}

/**
 * Writes failed sign-ins, lockouts and rejections to the audit log and the log. A flood must fill
 * neither: the first event of its kind is written immediately, later ones within a minute become one
 * entry with their count. An e-mail is written only if it belongs to an account, because people type
 * passwords into the wrong field.
 */
export class SecurityLog implements PasswordGateEvents {
  readonly #options: SecurityLogOptions;
  readonly #pending = new Map<string, Pending>();
  #cancelTimer: (() => void) | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(options: SecurityLogOptions) {
    this.#options = options;
  }

  failed(attempt: PasswordAttempt, { locked, slowed }: { locked: boolean; slowed: boolean }): void {
    const action = locked ? "locked out" : slowed ? "slowed down" : "failed";
    const { email, address } = attempt;
    const found = this.#options.users.findByEmail(email).catch(() => undefined);
    this.#track(found.then((user) => this.#record({ action, address, user })));
  }

  rejected({ address }: { address: string }, reason: "address" | "pair" | "busy"): void {
    const detail = reason === "busy" ? "too many at once" : "too many failures before";
    this.#record({ action: "refused", address, detail });
  }

  /** A second factor was wrong; `isLocked` is true once no more are checked for a while. */
  codeRejected(
    user: Pick<SignedInUser, "id" | "tenant" | "email">,
    { address, isLocked }: { address: string; isLocked: boolean },
  ): void {
    const action = isLocked ? "locked out" : "wrong code";
    this.#record({ action, address, user, detail: "second factor" });
  }

  /** A passkey that is not known, or not valid here. */
  passkeyRejected({ address }: { address: string }): void {
    this.#record({ action: "refused", address, detail: "passkey" });
  }

  /** An answer or a logout token of an OpenID Connect provider was rejected. */
  oidcRejected({ address }: { address: string }, reason: string): void {
    this.#record({ action: "refused", address, detail: `OpenID Connect: ${reason}` });
  }

  /** A signed-in user requested something that their role does not allow. */
  roleRejected(user: SignedInUser, { address, route }: { address: string; route: string }): void {
    this.#record({ action: "role not allowed", address, user, signedIn: true, detail: route });
  }

  crossSiteRejected({ address, route }: { address: string; route: string }): void {
    this.#record({ action: "form of another site", address, detail: route });
  }

  /** A valid API key was used from an address that it is not for: it may be stolen. */
  keyAddressRejected(
    { address, apiKey }: { address: string; apiKey: Event["apiKey"] & object },
  ): void {
    this.#record({ action: "key address not allowed", address, apiKey });
  }

  /** Writes the counts of merged events. */
  async flush(): Promise<void> {
    // Events that are still looking up their user belong to this window.
    await this.#writing;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { event, times } of pending) if (times > 0) this.#write(event, times);
    await this.#writing;
  }

  #record(event: Event): void {
    const known = this.#pending.get(keyOf(event));
    if (known !== undefined) {
      known.times++;
      return;
    }
    if (this.#pending.size >= MAX_ENTRIES) {
      if (event.address !== MANY_ADDRESSES) {
        this.#record({ action: event.action, address: MANY_ADDRESSES });
      } else this.#pending.set(keyOf(event), { event, times: 1 });
      return;
    }
    this.#pending.set(keyOf(event), { event, times: 0 });
    this.#write(event, 1);
    const end = () => void this.flush();
    this.#cancelTimer ??= setTimer(this.#options.runtime, WINDOW_MS, end);
  }

  #write(event: Event, times: number): void {
    const { kv, runtime, log } = this.#options;
    const { action, address, user, apiKey, detail, signedIn = false } = event;
    const kind = KINDS[action];
    const facts = { address, times, ...(detail && { detail }) };
    log.warn(`${kind}: ${action}`, {
      ...facts,
      ...user && { user: user.id },
      ...apiKey && { key: apiKey.id },
    });
    const actor: Actor = signedIn && user
      ? { kind: "user", id: user.id, name: user.email }
      : { kind: "anonymous" };
    const step = kv.atomic();
    runAs(actor, () =>
      recordChange(step, runtime, {
        ...{ tenant: (user ?? apiKey)?.tenant ?? INSTALLATION, kind, action },
        ...{ target: targetOf(event), after: facts },
      }));
    this.#track(step.commit());
  }

  /** An unavailable store must not turn a rejection into an error. */
  #track(work: Promise<unknown>): void {
    const { log } = this.#options;
    const done = work.catch((error) => log.error("cannot store a security event", { error }));
    this.#writing = Promise.all([this.#writing, done]);
  }
}

function targetOf({ user, apiKey }: Event): { id: string; name: string } {
  if (user !== undefined) return { id: user.id, name: user.email };
  return apiKey === undefined ? { id: "unknown", name: "" } : { id: apiKey.id, name: apiKey.name };
}

/** Counts an IPv6 /64 as one address: otherwise its owner alone could use up all entries. */
function keyOf({ action, address, user, apiKey, detail }: Event): string {
  return JSON.stringify([action, addressBlock(address), user?.id ?? apiKey?.id, detail]);
}
