import { z } from "zod";
import { sha256 } from "../../platform/crypto/signer.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { SESSION_MESSAGE_CAP, SESSION_TTL_MS } from "../../schemas/limits.ts";
import type { Appearance } from "../../schemas/appearance.ts";
import type { MintedSession } from "../../schemas/session.ts";
import { keys } from "../keys/keys.ts";
import type { KvReader } from "../tx/read_transaction.ts";
import { type CommitStep, commitStep, parseRecord } from "../values/record.ts";
import { claimedTenant, newSessionToken } from "./session_token.ts";

/** An expired session stays readable this long, so that its runs can still be followed. */
const KEPT_AFTER_EXPIRY_MS = 15 * 60_000;

const sessionRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  agentId: z.uuid(),
  /** The page that the session is for; absent in a playground session minted without an origin. */
  origin: z.string().optional(),
  /** Minted for the dashboard's playground, not for an embed. */
  playground: z.boolean(),
  /** The share link whose page it was minted for. */
  share: z.string().optional(),
  /** Milliseconds. This decides; `expireIn` only collects garbage, up to a minute late. */
  exp: z.int(),
  messages: z.int().nonnegative(),
  messageCap: z.int().positive(),
});
export type Session = z.infer<typeof sessionRecordSchema>;

/** How long the store keeps a session that expires in `leftMs`. */
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
    bound: {
      agentId: string;
      origin?: string | undefined;
      playground?: boolean;
      share?: string;
      /** Goes into the answer only. */
      appearance?: Appearance | undefined;
    },
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
      ...bound.share !== undefined && { share: bound.share },
      exp,
      messages: 0,
      messageCap: SESSION_MESSAGE_CAP,
    };
    const key = await sessionKey(sessionToken);
    const step = this.#kv.atomic()
      .check({ key, versionstamp: null })
      .set(key, session, { expireIn: sessionExpireIn(SESSION_TTL_MS) });
    const minted = {
      sessionToken,
      expiresAt: isoTime(exp),
      messageCap: session.messageCap,
      ...bound.appearance && { appearance: bound.appearance },
    };
    const done = await (options.commit ?? commitStep)(step, minted);
    if (!done) throw new Error("a session token was generated twice");
    return minted;
  }

  /** The live session of a token; `undefined` if unknown, expired or revoked. */
  async get(sessionToken: string, reader: KvReader = this.#kv): Promise<Session | undefined> {
    const session = await this.#read(sessionToken, reader);
    return session !== undefined && session.exp > this.#runtime.now() ? session : undefined;
  }

  /** The live or expired session of a token; `undefined` if unknown or revoked. */
  async find(sessionToken: string): Promise<{ session: Session; live: boolean } | undefined> {
    const session = await this.#read(sessionToken, this.#kv);
    return session && { session, live: session.exp > this.#runtime.now() };
  }

  /** Deletes a session of the tenant and returns its id, or `undefined` if there is none. */
  async revoke(tenant: string, sessionToken: string): Promise<string | undefined> {
    const session = await this.#read(sessionToken, this.#kv);
    if (session?.tenant !== tenant) return undefined;
    await this.#kv.delete(await sessionKey(sessionToken));
    return session.id;
  }

  async #read(sessionToken: string, reader: KvReader): Promise<Session | undefined> {
    return parseRecord(sessionRecordSchema, await reader.get(await sessionKey(sessionToken)));
  }
}

/** The key of a token's session; a malformed token has a key that never exists. */
export async function sessionKey(sessionToken: string): Promise<Deno.KvKey> {
  return keys.session(claimedTenant(sessionToken) ?? "none", await sha256(sessionToken));
}
