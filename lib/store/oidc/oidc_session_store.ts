import { z } from "zod";
import type { SealContext, Sealer } from "../../platform/crypto/sealing.ts";
import { sha256 } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { recordChange } from "../audit/audit_record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { SIGN_IN_MAX_MS } from "../users/sign_in_store.ts";
import { parseRecord } from "../values/record.ts";

export const OIDC_SESSIONS_PURPOSE = "oidc sessions";

const recordSchema = z.object({
  v: z.literal(1),
  tenant: z.uuid(),
  userId: z.uuid(),
  email: z.string(),
  issuer: z.string(),
  subject: z.string(),
  /** The provider's session; not every provider names it. */
  sid: z.string().optional(),
  /** The tenant whose provider it is; absent for the installation's. */
  connection: z.uuid().optional(),
  /** When the provider is asked again, or the sign-in ends if it gave no refresh token. */
  checkAt: z.int(),
  /** Since when the provider cannot be asked. */
  failingSince: z.int().optional(),
  /** Until when a process asks the provider: a refresh token may be used once only. */
  busyUntil: z.int().optional(),
  exp: z.int(),
  sealed: z.instanceof(Uint8Array),
});
type OidcSessionRecord = z.infer<typeof recordSchema>;
const tokensSchema = z.object({ refreshToken: z.string().optional(), idToken: z.string() });
export type OidcTokens = z.infer<typeof tokensSchema>;

/** What a sign-in got from its provider. */
export type OidcSession = Omit<OidcSessionRecord, "v" | "exp" | "sealed">;
export interface OidcSnapshot {
  entry: Deno.KvEntryMaybe<unknown>;
  record: OidcSessionRecord;
}

/** The sign-ins that a logout token ends. */
export interface EndedSession {
  issuer: string;
  /** The tenant whose provider says so; absent for the installation's. */
  connection?: string | undefined;
  subject?: string | undefined;
  sid?: string | undefined;
}

/** Provider sessions behind sign-ins, each under the hash of the sign-in's cookie. */
export class OidcSessionStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now" | "uuid">;
  readonly #sealer: Sealer;

  /** The sealer's purpose is `OIDC_SESSIONS_PURPOSE`. */
  constructor(
    kv: Deno.Kv,
    { runtime, sealer }: { runtime: Pick<Runtime, "now" | "uuid">; sealer: Sealer },
  ) {
    this.#kv = kv;
    this.#runtime = runtime;
    this.#sealer = sealer;
  }

  async read(cookieHash: string): Promise<OidcSnapshot | undefined> {
    const entry = await this.#kv.get(keys.oidcSession(cookieHash));
    const record = parseRecord(recordSchema, entry);
    return record && { entry, record };
  }

  /** Throws `UnsealError` after a change of the encryption key. */
  async tokensOf({ entry, record }: OidcSnapshot): Promise<OidcTokens> {
    const plain = await this.#sealer.unseal(record.sealed, contextOf(entry.key));
    return tokensSchema.parse(JSON.parse(new TextDecoder().decode(plain)));
  }

  /** Returns what the step of a new sign-in adds, so that neither is stored without the other. */
  async adder(
    session: OidcSession,
    tokens: OidcTokens,
  ): Promise<(step: Deno.AtomicOperation, signInKey: Deno.KvKey) => void> {
    const names = await namesOf(session);
    const exp = this.#runtime.now() + SIGN_IN_MAX_MS;
    return (step, signInKey) => {
      const cookieHash = String(signInKey.at(-1));
      const key = keys.oidcSession(cookieHash);
      const sealed = this.#seal(key, tokens);
      const options = { expireIn: SIGN_IN_MAX_MS };
      step.set(key, { v: 1, ...session, exp, sealed }, options);
      for (const name of names) {
        const value = { tenant: session.tenant };
        step.set(keys.oidcSessionByName(name, cookieHash), value, options);
      }
    };
  }

  /** Stores a change; `undefined` if another request changed the session since it was read. */
  async write(
    { entry, record }: OidcSnapshot,
    change: Partial<OidcSession>,
    tokens?: OidcTokens,
  ): Promise<OidcSnapshot | undefined> {
    const changed = { ...record, ...change };
    if (tokens !== undefined) changed.sealed = this.#seal(entry.key, tokens);
    const next = Object.fromEntries(
      Object.entries(changed).filter(([, value]) => value !== undefined),
    );
    const options = { expireIn: Math.max(1, record.exp - this.#runtime.now()) };
    const result = await this.#kv.atomic().check(entry).set(entry.key, next, options).commit();
    if (!result.ok) return undefined;
    const { versionstamp } = result;
    return {
      entry: { key: entry.key, value: next, versionstamp },
      record: recordSchema.parse(next),
    };
  }

  /** Moves a session to the sign-in that replaces its own, which ends with one that ends meanwhile. */
  async move(fromHash: string, signInKey: Deno.KvKey): Promise<void> {
    let hadSession = false;
    while (true) {
      const snapshot = await this.read(fromHash);
      if (snapshot === undefined) {
        if (hadSession) await this.end(String(signInKey.at(-1)));
        return;
      }
      hadSession = true;
      const step = this.#kv.atomic().check(snapshot.entry);
      (await this.adder(snapshot.record, await this.tokensOf(snapshot)))(step, signInKey);
      await this.#delete(step, fromHash, snapshot.record);
      if ((await step.commit()).ok) return;
    }
  }

  /** Ends a sign-in and its session. With an `action`, the audit log says why. */
  async end(cookieHash: string, action?: string): Promise<void> {
    const snapshot = await this.read(cookieHash);
    const step = this.#kv.atomic().delete(keys.signIn(cookieHash));
    if (snapshot) {
      const { record } = snapshot;
      await this.#delete(step, cookieHash, record);
      if (action !== undefined) this.#record(step, record, action);
    }
    await step.commit();
  }

  /** Ends what a logout token names: one session of the provider, or all of the person. */
  async endAll({ issuer, connection, subject, sid }: EndedSession): Promise<number> {
    const scope = { issuer, connection };
    const names = [
      ...sid === undefined ? [] : [await nameOf(scope, "sid", sid)],
      ...subject === undefined ? [] : [await nameOf(scope, "sub", subject)],
    ];
    const hashes = new Set<string>();
    for (const name of names) {
      for await (const { key } of this.#kv.list({ prefix: keys.oidcSessionsByName(name) })) {
        hashes.add(String(key.at(-1)));
      }
    }
    let ended = 0;
    for (const hash of hashes) {
      const record = (await this.read(hash))?.record;
      if (record === undefined || record.connection !== connection) continue;
      if (subject !== undefined && record.subject !== subject) continue;
      if (sid !== undefined && (record.sid ?? sid) !== sid) continue;
      await this.end(hash, "ended by provider");
      ended++;
    }
    return ended;
  }

  /** Remembers a logout token until it expires; false if it was accepted before. */
  async acceptOnce(
    { issuer, connection }: Pick<EndedSession, "issuer" | "connection">,
    jti: string,
    exp: number,
  ): Promise<boolean> {
    const scope = connection === undefined ? [] : [connection];
    const key = keys.oidcLogoutToken(await sha256(JSON.stringify([issuer, jti, ...scope])));
    const step = this.#kv.atomic().check({ key, versionstamp: null });
    const expireIn = Math.max(1, Math.ceil(exp - this.#runtime.now()));
    return (await step.set(key, { v: 1, exp }, { expireIn }).commit()).ok;
  }

  async #delete(
    step: Deno.AtomicOperation,
    cookieHash: string,
    record: OidcSessionRecord,
  ): Promise<void> {
    step.delete(keys.oidcSession(cookieHash));
    for (const name of await namesOf(record)) {
      step.delete(keys.oidcSessionByName(name, cookieHash));
    }
  }

  #record(step: Deno.AtomicOperation, record: OidcSessionRecord, action: string): void {
    const { tenant, userId, email, issuer } = record;
    const target = { id: userId, name: email };
    const change = { tenant, kind: "sign-in" as const, action, target, after: { issuer } };
    recordChange(step, this.#runtime, change);
  }

  #seal(key: Deno.KvKey, tokens: OidcTokens): Uint8Array<ArrayBuffer> {
    const plain = new TextEncoder().encode(JSON.stringify(tokens));
    return this.#sealer.sealSync(plain, contextOf(key));
  }
}

export function resealOidcSessions(sealer: Sealer, now: () => number): ResealTask {
  return {
    kind: "oidc sessions",
    prefix: keys.allOidcSessions(),
    async *reseal(entry) {
      const record = parseRecord(recordSchema, entry)!;
      const sealed = await sealer.reseal(record.sealed, contextOf(entry.key));
      if (sealed === undefined) return;
      const expireIn = Math.max(1, record.exp - now());
      yield { entry, write: (step) => step.set(entry.key, { ...record, sealed }, { expireIn }) };
    },
  };
}

function contextOf(key: Deno.KvKey): SealContext {
  return key.map(String);
}

type Scope = Pick<OidcSession, "issuer" | "connection">;

function nameOf(
  { issuer, connection }: Scope,
  kind: "sub" | "sid",
  value: string,
): Promise<string> {
  const scope = connection === undefined ? [] : [connection];
  return sha256(JSON.stringify([issuer, kind, value, ...scope]));
}

async function namesOf(session: Scope & Pick<OidcSession, "subject" | "sid">): Promise<string[]> {
  const { subject, sid } = session;
  const bySubject = await nameOf(session, "sub", subject);
  return sid === undefined ? [bySubject] : [bySubject, await nameOf(session, "sid", sid)];
}
