/** The session token: given by the page, or fetched from the site's own backend when it is due. */
import type { TokenSource } from "./client/chat_run.ts";
import type { Rejection } from "./client/rejection.ts";

export interface SessionOptions {
  readonly token: string;
  /** Address of the site's own backend that mints; "" when the page hands tokens over. */
  readonly endpoint: string;
  readonly fetcher: typeof fetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Renewed this long before its end, so that a message under way does not meet it. */
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

  /** A token to use now, or "" when there is none. */
  async token(): Promise<string> {
    if (!this.#token || this.#options.now() >= this.#due) await this.renew();
    return this.#token;
  }

  /** False when no fresh token can be had. Calls at the same time share one request. */
  renew(): Promise<boolean> {
    return this.#renewing ??= this.#mint().catch(() => false).finally(() => {
      this.#renewing = undefined;
    });
  }

  async #mint(): Promise<boolean> {
    const { endpoint, fetcher, now } = this.#options;
    if (!endpoint) return false;
    this.rejection = undefined;
    // A POST, because browsers send no Origin with a GET to the page's own site.
    const response = await fetcher(endpoint, { method: "POST", cache: "no-store" });
    const { sessionToken, expiresAt, messageCap, code } = await response.json();
    // The one refusal that no reload cures. Other codes may be the site's own.
    if (code === "origin_not_allowed") this.rejection = { status: 403, code };
    if (typeof sessionToken !== "string" || !sessionToken) return false;
    // Counted from the server's own clock where it can be read: the visitor's may be hours off.
    const clock = Date.parse(response.headers.get("date") ?? "") || now();
    const life = Date.parse(expiresAt) - clock;
    const due = now() + (life > 0 && life <= MINUTES_15 ? life : MINUTES_15) - MARGIN_MS;
    this.set(sessionToken, { left: messageCap, due });
    return true;
  }
}
