import type { Signer } from "../credentials/hashing.ts";
import { base64url } from "../credentials/hashing.ts";
import type { System } from "../system.ts";

/** How long a browser is known after a sign-in. */
export const KNOWN_BROWSER_MS = 90 * 86_400_000;
const FORMAT = /^([0-9a-f-]{36})\.(\d{1,15})\.([\w-]{22})\.([\w-]{43})$/;

/** A browser in which somebody has given this user's password. */
export interface KnownBrowser {
  userId: string;
  /** Random: failures are counted by it. */
  id: string;
}

/**
 * Signed marks of browsers in which an account's password was given before (OWASP: "device cookies").
 * A mark proves nothing about who is there: it only keeps the account's owner out of the line of
 * strangers who guess, and attempts with it are counted by themselves.
 */
export class KnownBrowsers {
  #signer: Pick<Signer, "sign" | "verify">;
  #system: Pick<System, "now" | "randomBytes">;

  constructor(
    signer: Pick<Signer, "sign" | "verify">,
    system: Pick<System, "now" | "randomBytes">,
  ) {
    this.#signer = signer;
    this.#system = system;
  }

  /** A mark for a browser in which the user has just given their password. */
  async issue(userId: string): Promise<string> {
    const id = base64url(this.#system.randomBytes(16));
    const facts = `${userId}.${this.#system.now() + KNOWN_BROWSER_MS}.${id}`;
    return `${facts}.${await this.#signer.sign(`known browser ${facts}`)}`;
  }

  /** The browser behind a mark; `undefined` for one that is forged or too old. */
  async read(mark: string): Promise<KnownBrowser | undefined> {
    const [, userId, exp, id, mac] = FORMAT.exec(mark) ?? [];
    if (userId === undefined || exp === undefined || id === undefined || mac === undefined) {
      return undefined;
    }
    const genuine = await this.#signer.verify(`known browser ${userId}.${exp}.${id}`, mac);
    return genuine && Number(exp) > this.#system.now() ? { userId, id } : undefined;
  }
}
