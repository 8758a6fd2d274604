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
/** Entries that a stranger can cause are not kept as long as what people changed. */
const KEPT_MS = 90 * 86_400_000;
/** The address of the merged entry. */
const MANY_ADDRESSES = "many addresses";

const KINDS = {
  failed: "sign-in",
  "locked out": "sign-in",
  "slowed down": "sign-in",
  refused: "sign-in",
  "role not allowed": "access",
  "form of another site": "access",
} as const;
type Action = keyof typeof KINDS;

interface Event {
  action: Action;
  address: string;
  /** Whose account it is about; without one the entry is in the installation's log. */
  user?: Pick<SignedInUser, "id" | "tenant" | "email"> | undefined;
  /** True if the user is signed in and so is the actor. */
  signedIn?: boolean;
  /** The route or the reason. */
  detail?: string | undefined;
}

interface Pending {
  event: Event;
  /** Not written yet. */
  times: number;
}

export interface SecurityLogOptions {
  kv: Deno.Kv;
  users: Pick<UserStore, "findByEmail">;
  runtime: Pick<Runtime, "now" | "uuid" | "sleep">;
  log: Logger;
}

/**
 * Writes failed sign-ins, lockouts and refusals to the audit log and the log. A flood must fill
 * neither: the first event of its kind is written at once, those that follow within a minute are one
 * more entry with their number. An e-mail is written only if it is an account's, because people type
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
    this.#noteAttempt(attempt, { action });
  }

  rejected({ address }: { address: string }, reason: "address" | "pair" | "busy"): void {
    const detail = reason === "busy" ? "too many at once" : "too many failures before";
    this.#note({ action: "refused", address, detail });
  }

  /** A signed-in user asked for what their role does not allow. */
  roleRejected(user: SignedInUser, { address, route }: { address: string; route: string }): void {
    this.#note({ action: "role not allowed", address, user, signedIn: true, detail: route });
  }

  /** A page of another site sent a form here. */
  crossSiteRejected({ address, route }: { address: string; route: string }): void {
    this.#note({ action: "form of another site", address, detail: route });
  }

  /** Writes what has been counted and not written. */
  async flush(): Promise<void> {
    // An event whose user is still being looked up belongs to this window.
    await this.#writing;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { event, times } of pending) if (times > 0) this.#write(event, times);
    await this.#writing;
  }

  #noteAttempt({ email, address }: PasswordAttempt, event: Pick<Event, "action">): void {
    const found = this.#options.users.findByEmail(email).catch(() => undefined);
    this.#after(found.then((user) => this.#note({ ...event, address, user })));
  }

  #note(event: Event): void {
    const known = this.#pending.get(nameOf(event));
    if (known !== undefined) {
      known.times++;
      return;
    }
    if (this.#pending.size >= MAX_ENTRIES) {
      if (event.address !== MANY_ADDRESSES) {
        this.#note({ action: event.action, address: MANY_ADDRESSES });
      } else this.#pending.set(nameOf(event), { event, times: 1 });
      return;
    }
    this.#pending.set(nameOf(event), { event, times: 0 });
    this.#write(event, 1);
    const end = () => void this.flush();
    this.#cancelTimer ??= setTimer(this.#options.runtime, WINDOW_MS, end);
  }

  #write(event: Event, times: number): void {
    const { kv, runtime, log } = this.#options;
    const { action, address, user, detail, signedIn = false } = event;
    const kind = KINDS[action];
    const facts = { address, times, ...(detail && { detail }) };
    log.warn(`${kind}: ${action}`, { ...facts, ...(user && { user: user.id }) });
    const actor: Actor = signedIn && user
      ? { kind: "user", id: user.id, name: user.email }
      : { kind: "anonymous" };
    const step = kv.atomic();
    runAs(actor, () =>
      recordChange(step, runtime, {
        ...{ tenant: user?.tenant ?? INSTALLATION, kind, action, after: facts, ttlMs: KEPT_MS },
        target: user ? { id: user.id, name: user.email } : { id: "unknown", name: "" },
      }));
    this.#after(step.commit());
  }

  /** An unavailable store must not turn a rejection into an error. */
  #after(work: Promise<unknown>): void {
    const { log } = this.#options;
    const done = work.catch((error) => log.error("cannot store a security event", { error }));
    this.#writing = Promise.all([this.#writing, done]);
  }
}

/** An IPv6 /64 is one name: its owner could otherwise crowd out everybody else's entries alone. */
function nameOf({ action, address, user, detail }: Event): string {
  return JSON.stringify([action, addressBlock(address), user?.id, detail]);
}
