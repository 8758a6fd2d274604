import { base64url, sha256, type Signer } from "../../platform/crypto/signer.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../../store/keys/keys.ts";

/** How long a person may take to use their passkey. */
export const CHALLENGE_MS = 5 * 60_000;
const FORMAT = /^(\d{1,15})\.([\w-]{22})\.([\w-]{43})$/;

/**
 * What passkeys sign: signed by this service for one purpose, so that nothing is stored for a visitor who only
 * opens a page, and accepted once.
 */
export class PasskeyChallenges {
  readonly #kv: Deno.Kv;
  readonly #signer: Pick<Signer, "sign" | "verify">;
  readonly #runtime: Pick<Runtime, "now" | "randomBytes">;

  constructor(
    kv: Deno.Kv,
    { signer, runtime }: {
      signer: Pick<Signer, "sign" | "verify">;
      runtime: Pick<Runtime, "now" | "randomBytes">;
    },
  ) {
    this.#kv = kv;
    this.#signer = signer;
    this.#runtime = runtime;
  }

  async issue(purpose: string): Promise<string> {
    const exp = this.#runtime.now() + CHALLENGE_MS;
    const facts = `${exp}.${base64url(this.#runtime.randomBytes(16))}`;
    return `${facts}.${await this.#signer.sign(signedText(facts, purpose))}`;
  }

  /** Whether this service issued the challenge for this purpose within the last five minutes. */
  async isValid(challenge: string, purpose: string): Promise<boolean> {
    const [, exp, nonce, mac] = FORMAT.exec(challenge) ?? [];
    if (exp === undefined || mac === undefined) return false;
    if (Number(exp) < this.#runtime.now()) return false;
    return await this.#signer.verify(signedText(`${exp}.${nonce}`, purpose), mac);
  }

  /** False if the valid challenge was used before. */
  async useUp(challenge: string): Promise<boolean> {
    const exp = Number(challenge.split(".")[0]);
    const key = keys.usedPasskeyChallenge(await sha256(challenge));
    const expireIn = Math.max(1, exp - this.#runtime.now());
    const step = this.#kv.atomic().check({ key, versionstamp: null });
    return (await step.set(key, { v: 1, exp }, { expireIn }).commit()).ok;
  }
}

/** The prefix keeps a challenge from ever being valid as another signature. */
function signedText(facts: string, purpose: string): string {
  return `passkey challenge ${facts} ${purpose}`;
}
