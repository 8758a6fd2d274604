import type { Signer } from "../platform/crypto/signer.ts";
import { base64url } from "../platform/crypto/signer.ts";
import type { Runtime } from "../platform/runtime.ts";

export const KNOWN_BROWSER_MS = 90 * 86_400_000;
const FORMAT = /^([0-9a-f-]{36})\.(\d{1,15})\.([\w-]{22})\.([\w-]{43})$/;

/** A browser in which this user has signed in. */
export interface KnownBrowser {
  userId: string;
  /** Random; failures are counted under it. */
  id: string;
}

/**
 * Signed tokens for browsers that have signed in to an account before (OWASP: "device cookies"). A token
 * does not authenticate anyone: it only gives the account's owner a separate queue and a separate count
 * of failed attempts, so that attackers cannot block them.
 */
export class KnownBrowserTokens {
  #signer: Pick<Signer, "sign" | "verify">;
  #runtime: Pick<Runtime, "now" | "randomBytes">;

  constructor(
    signer: Pick<Signer, "sign" | "verify">,
    runtime: Pick<Runtime, "now" | "randomBytes">,
  ) {
    this.#signer = signer;
    this.#runtime = runtime;
  }

  async issue(userId: string): Promise<string> {
    const id = base64url(this.#runtime.randomBytes(16));
    const facts = `${userId}.${this.#runtime.now() + KNOWN_BROWSER_MS}.${id}`;
    return `${facts}.${await this.#signer.sign(`known browser ${facts}`)}`;
  }

  /** The browser that a token identifies; `undefined` if it is forged or expired. */
  async identify(token: string): Promise<KnownBrowser | undefined> {
    const [, userId, exp, id, mac] = FORMAT.exec(token) ?? [];
    if (userId === undefined || exp === undefined || id === undefined || mac === undefined) {
      return undefined;
    }
    const valid = await this.#signer.verify(`known browser ${userId}.${exp}.${id}`, mac);
    return valid && Number(exp) > this.#runtime.now() ? { userId, id } : undefined;
  }
}
