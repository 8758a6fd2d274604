/** The session token: set by the page, or fetched from the site's backend before it expires. */
import type { Appearance } from "./appearance.ts";
import type { TokenSource } from "./client/chat_run.ts";
import { NETWORK_ERROR, type Rejection } from "./client/rejection.ts";

export interface SessionOptions {
  readonly token: string;
  /** Address of the site's backend that mints tokens; "" if the page sets them. */
  readonly endpoint: string;
  readonly fetcher: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the agent's appearance if the answer of a mint has one. */
  readonly onAppearance?: (appearance: Appearance) => void;
}

/** Tokens are renewed this long before they expire, so that none expires during a request. */
const MARGIN_MS = 60_000;
const MINUTES_15 = 15 * 60_000;

export class Session implements TokenSource {
  left = 50;
  rejection: Rejection | undefined;
  #token: string;
  #options: SessionOptions;
  #due = Infinity;
  #renewing: Promise<boolean> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#token = options.token;
  }

  set(token: string, { left = 50, due = Infinity } = {}): void {
    this.#token = token;
    this.left = left;
    this.#due = due;
  }

  /** A valid token, or "" if there is none. */
  async token(): Promise<string> {
    if (!this.#token || this.#options.now() >= this.#due) await this.renew();
    return this.#token;
  }

  /** False if there is no new token. Concurrent calls share one request. */
  renew(): Promise<boolean> {
    return this.#renewing ??= this.#mint().catch(() => false).finally(() => {
      this.#renewing = undefined;
    });
  }

  async #mint(): Promise<boolean> {
    const { endpoint, fetcher, now, onAppearance } = this.#options;
    // Until it answers. Offline, the page cannot set a token either.
    this.rejection = endpoint || navigator.onLine === false ? NETWORK_ERROR : undefined;
    if (!endpoint) return false;
    // POST, because browsers send no Origin with a same-origin GET.
    const response = await fetcher(endpoint, { method: "POST", cache: "no-store" });
    this.rejection = undefined;
    const { sessionToken, expiresAt, messageCap, code, appearance } = await response.json();
    // The only rejection that a reload does not fix. Other codes may be the site's.
    if (code === "origin_not_allowed") this.rejection = { status: 403, code };
    if (typeof sessionToken !== "string" || !sessionToken) return false;
    // Count from the server's clock if it can be read: the visitor's may be hours off.
    const clock = Date.parse(response.headers.get("date") ?? "") || now();
    const life = Date.parse(expiresAt) - clock;
    const due = now() + (life > 0 && life <= MINUTES_15 ? life : MINUTES_15) - MARGIN_MS;
    this.set(sessionToken, { left: messageCap, due });
    if (appearance) onAppearance?.(appearance);
    return true;
  }
}
