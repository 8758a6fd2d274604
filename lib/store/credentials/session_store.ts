import { z } from "zod";
import type { KvReader } from "../tx/view.ts";
import { sha256 } from "../../platform/crypto/hashing.ts";
import { claimedTenant, newSessionToken } from "./session_token.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { SESSION_MESSAGE_CAP, SESSION_TTL_MS } from "../../schemas/limits.ts";
import type { MintedSession } from "../../schemas/session.ts";
import { keys } from "../keys/keys.ts";
import { type CommitStep, commitStep, parseRecord } from "../values/record.ts";

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

/** How long the store keeps a session that has `leftMs` to live. */
export function sessionExpireIn(leftMs: number): number {
  return leftMs + KEPT_AFTER_EXPIRY_MS;
}

/** Widget sessions, stored under a hash of their token. */
export class SessionStore {
  #kv: Deno.Kv;
  #runtime: Runtime;

  constructor(kv: Deno.Kv, runtime: Runtime) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  /** `commit` may add to the step that stores the session. */
  async mint(
    tenant: string,
    bound: { agentId: string; origin?: string | undefined; playground?: boolean },
    options: { commit?: CommitStep<MintedSession> | undefined } = {},
  ): Promise<MintedSession> {
    const sessionToken = newSessionToken(tenant, (n) => this.#runtime.randomBytes(n));
    const exp = this.#runtime.now() + SESSION_TTL_MS;
    const session: Session = {
      v: 1,
      id: this.#runtime.uuid(),
      tenant,
      agentId: bound.agentId,
      ...(bound.origin === undefined ? {} : { origin: bound.origin }),
      playground: bound.playground ?? false,
      exp,
      messages: 0,
      messageCap: SESSION_MESSAGE_CAP,
    };
    const expireIn = sessionExpireIn(SESSION_TTL_MS);
    const key = await sessionKey(sessionToken);
    const change = this.#kv.atomic()
      .check({ key, versionstamp: null })
      .set(key, session, { expireIn });
    const minted = { sessionToken, expiresAt: isoTime(exp), messageCap: session.messageCap };
    const done = await (options.commit ?? commitStep)(change, minted);
    if (!done) throw new Error("a session token was drawn twice");
    return minted;
  }

  /** The live session behind a token; `undefined` when unknown, expired or revoked. */
  async get(sessionToken: string, reader: KvReader = this.#kv): Promise<Session | undefined> {
    const key = await sessionKey(sessionToken);
    const session = parseRecord(sessionRecordSchema, await reader.get(key));
    return session !== undefined && session.exp > this.#runtime.now() ? session : undefined;
  }

  /** The session behind a token, live or expired; `undefined` when unknown or revoked. */
  async find(sessionToken: string): Promise<{ session: Session; live: boolean } | undefined> {
    const key = await sessionKey(sessionToken);
    const session = parseRecord(sessionRecordSchema, await this.#kv.get(key));
    return session && { session, live: session.exp > this.#runtime.now() };
  }

  /** Removes the stored entry of a tenant's session; its id, or `undefined` when it has none such. */
  async revoke(tenant: string, sessionToken: string): Promise<string | undefined> {
    const key = await sessionKey(sessionToken);
    const session = parseRecord(sessionRecordSchema, await this.#kv.get(key));
    if (session?.tenant !== tenant) return undefined;
    await this.#kv.delete(key);
    return session.id;
  }
}

/** Where a token's session is kept; for what is no token, where there never is one. */
export async function sessionKey(sessionToken: string): Promise<Deno.KvKey> {
  return keys.session(claimedTenant(sessionToken) ?? "none", await sha256(sessionToken));
}
