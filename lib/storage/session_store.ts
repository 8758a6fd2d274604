import { z } from "zod";
import { base64url, sha256 } from "../credentials/hashing.ts";
import { iso, type System } from "../system.ts";
import { SESSION_MESSAGE_CAP, SESSION_TTL_MS } from "../wire/limits.ts";
import type { MintedSession } from "../wire/session.ts";
import { keys } from "./keys.ts";
import { parseRecord, untilCommitted } from "./record.ts";

/** A lapsed or revoked session stays readable this long, so that its runs can still be followed. */
const KEPT_AFTER_EXPIRY_MS = 15 * 60_000;

const sessionRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  agentId: z.uuid(),
  /** The page it was minted for; absent on a playground session minted without an origin. */
  origin: z.string().optional(),
  /** Minted for trying the agent out from the dashboard, not for an embed. */
  playground: z.boolean(),
  /** Milliseconds. Decides; `expireIn` only collects garbage, up to a minute late. */
  exp: z.int(),
  messages: z.int().nonnegative(),
  messageCap: z.int().positive(),
});
export type Session = z.infer<typeof sessionRecordSchema>;

/** What came of one message on a session. */
export type SessionUse = "admitted" | "exhausted" | "gone";

/** Widget sessions, stored under a hash of their token. */
export class SessionStore {
  #kv: Deno.Kv;
  #system: System;

  constructor(kv: Deno.Kv, system: System) {
    this.#kv = kv;
    this.#system = system;
  }

  async mint(
    tenant: string,
    bound: { agentId: string; origin?: string | undefined; playground?: boolean },
  ): Promise<MintedSession> {
    const sessionToken = `cs_${base64url(this.#system.randomBytes(32))}`;
    const exp = this.#system.now() + SESSION_TTL_MS;
    const session: Session = {
      v: 1,
      id: this.#system.uuid(),
      tenant,
      agentId: bound.agentId,
      ...(bound.origin === undefined ? {} : { origin: bound.origin }),
      playground: bound.playground ?? false,
      exp,
      messages: 0,
      messageCap: SESSION_MESSAGE_CAP,
    };
    const expireIn = SESSION_TTL_MS + KEPT_AFTER_EXPIRY_MS;
    await this.#kv.set(keys.session(await sha256(sessionToken)), session, { expireIn });
    return { sessionToken, expiresAt: iso(exp), messageCap: session.messageCap };
  }

  /** The live session behind a token; `undefined` when unknown, expired or revoked. */
  async get(sessionToken: string): Promise<Session | undefined> {
    const key = keys.session(await sha256(sessionToken));
    const session = parseRecord(sessionRecordSchema, await this.#kv.get(key));
    return session !== undefined && session.exp > this.#system.now() ? session : undefined;
  }

  /** Counts one message against the cap: exactly `messageCap` are admitted under any concurrency. */
  async useMessage(sessionToken: string): Promise<SessionUse> {
    const key = keys.session(await sha256(sessionToken));
    const attempt = async (): Promise<SessionUse | undefined> => {
      const entry = await this.#kv.get(key);
      const session = parseRecord(sessionRecordSchema, entry);
      const left = (session?.exp ?? 0) - this.#system.now();
      if (session === undefined || left <= 0) return "gone";
      if (session.messages >= session.messageCap) return "exhausted";
      const next = { ...session, messages: session.messages + 1 };
      const expireIn = left + KEPT_AFTER_EXPIRY_MS;
      const committed = await this.#kv.atomic().check(entry).set(key, next, { expireIn }).commit();
      return committed.ok ? "admitted" : undefined;
    };
    return await untilCommitted(attempt, { what: "session", tries: 1000 });
  }

  /** Removes the stored entry of a tenant's session; its id, or `undefined` when it has none such. */
  async revoke(tenant: string, sessionToken: string): Promise<string | undefined> {
    const key = keys.session(await sha256(sessionToken));
    const session = parseRecord(sessionRecordSchema, await this.#kv.get(key));
    if (session?.tenant !== tenant) return undefined;
    await this.#kv.delete(key);
    return session.id;
  }
}
