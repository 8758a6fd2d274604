import { z } from "zod";
import { sha256 } from "../../platform/crypto/signer.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { SESSION_MESSAGE_CAP, SESSION_TTL_MS } from "../../schemas/limits.ts";
import type { ShownAppearance } from "../../schemas/appearance.ts";
import type { MintBinding, MintedSession } from "../../schemas/session.ts";
import { keys } from "../keys/keys.ts";
import type { ContentCipher } from "../encryption/content_cipher.ts";
import type { KvReader } from "../tx/read_transaction.ts";
import { type CommitStep, commitStep, parseRecord, updateRecord } from "../values/record.ts";
import {
  type NewVisitor,
  openSessionVisitor,
  sealSessionVisitor,
  type SessionVisitor,
} from "../visitors/session_visitor.ts";
import { visitorRefSchema } from "../visitors/visitor_ids.ts";
import { claimedTenant, newSessionToken } from "./session_token.ts";

/** An expired session stays readable this long, so that its runs can still be followed. */
const KEPT_AFTER_EXPIRY_MS = 15 * 60_000;

export const sessionRecordSchema = z.object({
  v: z.literal(1),
  id: z.uuid(),
  tenant: z.uuid(),
  agentId: z.uuid(),
  /**
   * The page that the session is for, or `NATIVE_APP`; absent in a playground session minted without
   * an origin.
   */
  origin: z.string().optional(),
  /** Minted for the dashboard's playground, not for an embed. */
  playground: z.boolean(),
  /** The share link whose page it was minted for. */
  share: z.string().optional(),
  /** Whom it was minted for, with the values of the agent's variables. */
  visitor: visitorRefSchema.optional(),
  /** For an app without pages. Browsers cannot use it. */
  native: z.literal(true).optional(),
  /** Every request needs a proof of the key with this thumbprint; without one, the next proof sets it. */
  binding: z.object({ jkt: z.string().optional() }).optional(),
  /** Proofs that messages were sent with, so that none sends another one. */
  spentProofs: z.array(z.object({
    jti: z.string(),
    period: z.int(),
    /** The end of the id of the run that the message started. */
    message: z.string(),
  })).optional(),
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
  #content: ContentCipher | undefined;

  /** Without `content`, sessions have no visitors. */
  constructor(kv: Deno.Kv, runtime: Runtime, { content }: { content?: ContentCipher } = {}) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#content = content;
  }

  /** `commit` may add to the step that stores the session. */
  async mint(
    tenant: string,
    bound: {
      agentId: string;
      origin?: string | undefined;
      playground?: boolean;
      share?: string;
      native?: boolean;
      bind?: MintBinding | undefined;
      visitor?: NewVisitor | undefined;
      /** Goes into the answer only. */
      appearance?: ShownAppearance | undefined;
    },
    options: { commit?: CommitStep<MintedSession> | undefined } = {},
  ): Promise<MintedSession> {
    const sessionToken = newSessionToken(tenant, (n) => this.#runtime.randomBytes(n));
    const exp = this.#runtime.now() + SESSION_TTL_MS;
    const id = this.#runtime.uuid();
    const { visitor, bind } = bound;
    const session: Session = {
      v: 1,
      id,
      tenant,
      agentId: bound.agentId,
      ...(bound.origin === undefined ? {} : { origin: bound.origin }),
      playground: bound.playground ?? false,
      ...bound.share !== undefined && { share: bound.share },
      ...bound.native && { native: true },
      ...bind !== undefined && { binding: bind === true ? {} : bind },
      ...visitor && { visitor: sealSessionVisitor(this.#cipher(), { tenant, id }, visitor) },
      exp,
      messages: 0,
      messageCap: SESSION_MESSAGE_CAP,
    };
    const key = await sessionKey(sessionToken);
    const erasure = session.visitor && keys.visitorErasure(tenant, session.visitor.hash);
    await this.#rejectDuring(erasure);
    // An erasure that begins now must find every session of the visitor.
    const absent = [key, ...erasure ? [erasure] : []];
    const step = this.#kv.atomic()
      .check(...absent.map((key) => ({ key, versionstamp: null })))
      .set(key, session, { expireIn: sessionExpireIn(SESSION_TTL_MS) });
    const minted = {
      sessionToken,
      expiresAt: isoTime(exp),
      messageCap: session.messageCap,
      ...bound.appearance && { appearance: bound.appearance },
    };
    const done = await (options.commit ?? commitStep)(step, minted);
    if (!done) {
      await this.#rejectDuring(erasure);
      throw new Error("a session token was generated twice");
    }
    return minted;
  }

  /** Throws 503 while the visitor's data is being deleted. */
  async #rejectDuring(erasure: Deno.KvKey | undefined): Promise<void> {
    if (erasure === undefined || (await this.#kv.get(erasure)).versionstamp === null) return;
    const message = "what the service has of this visitor is being deleted; try again soon";
    throw new ApiError("service_unavailable", message, { headers: { "retry-after": "5" } });
  }

  /** Whom a session was minted for, if it says so. Throws `CorruptRecordError` if unreadable. */
  async visitorOf(session: Session): Promise<SessionVisitor | undefined> {
    if (session.visitor === undefined) return undefined;
    return await openSessionVisitor(this.#cipher(), session, session.visitor);
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

  /**
   * Binds a session to the key with this thumbprint, unless it is bound already. Returns the session as
   * it is stored then; `undefined` if it is unknown or revoked.
   */
  async bind(sessionToken: string, jkt: string): Promise<Session | undefined> {
    const key = await sessionKey(sessionToken);
    const location = { key, schema: sessionRecordSchema, what: "a session" };
    return await updateRecord(this.#kv, location, (session, save) => {
      if (session === undefined || session.binding?.jkt !== undefined) return session;
      const bound: Session = { ...session, binding: { jkt } };
      const leftMs = Math.max(1, sessionExpireIn(session.exp - this.#runtime.now()));
      save(bound, { expireIn: leftMs });
      return bound;
    });
  }

  /** Deletes a session of the tenant and returns its id, or `undefined` if there is none. */
  async revoke(tenant: string, sessionToken: string): Promise<string | undefined> {
    const session = await this.#read(sessionToken, this.#kv);
    if (session?.tenant !== tenant) return undefined;
    await this.#kv.delete(await sessionKey(sessionToken));
    return session.id;
  }

  #cipher(): ContentCipher {
    if (this.#content === undefined) throw new Error("this store cannot encrypt visitors");
    return this.#content;
  }

  async #read(sessionToken: string, reader: KvReader): Promise<Session | undefined> {
    return parseRecord(sessionRecordSchema, await reader.get(await sessionKey(sessionToken)));
  }
}

/** The key of a token's session; a malformed token has a key that never exists. */
export async function sessionKey(sessionToken: string): Promise<Deno.KvKey> {
  return keys.session(claimedTenant(sessionToken) ?? "none", await sha256(sessionToken));
}
