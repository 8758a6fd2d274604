import { z } from "zod";
import { sha256 } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";

/** For signing in at another site. */
export const OIDC_ATTEMPT_MS = 10 * 60_000;

const attemptSchema = z.object({
  v: z.literal(1),
  /** The SHA-256 of the cookie of the browser that began. */
  browserHash: z.string(),
  startedAt: z.int(),
  exp: z.int(),
  /** Local path to open afterwards. */
  next: z.string(),
  /** The provider asks for its credentials again, however recently it did. */
  again: z.boolean(),
  /** Set if a user links the provider: the user, and the sign-in that began it. */
  tenant: z.uuid().optional(),
  userId: z.uuid().optional(),
  signInHash: z.string().optional(),
  /** The tenant whose provider it is; absent for the installation's. */
  connection: z.uuid().optional(),
  /** It only tests the connection as it was in this version. */
  tests: z.string().optional(),
});
export type OidcAttempt = Omit<z.infer<typeof attemptSchema>, "v" | "exp" | "startedAt">;

/** Sign-ins in progress at the provider. Each is found once, with its `state`. */
export class OidcAttemptStore {
  readonly #kv: Deno.Kv;
  readonly #runtime: Pick<Runtime, "now">;

  constructor(kv: Deno.Kv, runtime: Pick<Runtime, "now">) {
    this.#kv = kv;
    this.#runtime = runtime;
  }

  async begin(state: string, attempt: OidcAttempt): Promise<void> {
    const startedAt = this.#runtime.now();
    const record = { v: 1, ...attempt, startedAt, exp: startedAt + OIDC_ATTEMPT_MS };
    await this.#kv.set(keys.oidcAttempt(await sha256(state)), record, {
      expireIn: OIDC_ATTEMPT_MS,
    });
  }

  /** The attempt with this `state` in this browser, which no other request gets. */
  async take(
    state: string,
    browser: string,
  ): Promise<OidcAttempt & { startedAt: number } | undefined> {
    const entry = await this.#kv.get(keys.oidcAttempt(await sha256(state)));
    const attempt = parseRecord(attemptSchema, entry);
    // Another browser that learned the state cannot end the attempt of this one.
    if (attempt === undefined || attempt.browserHash !== await sha256(browser)) return undefined;
    const { ok } = await this.#kv.atomic().check(entry).delete(entry.key).commit();
    return ok && attempt.exp > this.#runtime.now() ? attempt : undefined;
  }
}
