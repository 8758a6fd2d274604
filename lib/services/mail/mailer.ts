import { loadModule } from "../../platform/load_module.ts";
import type { Logger } from "../../platform/log.ts";
import { type Runtime, setTimer } from "../../platform/runtime.ts";
import {
  isPlainAddress,
  type MailSender,
  parseMailSender,
  parseSmtpUrl,
  type SmtpServer,
} from "../../schemas/smtp_url.ts";

/** A mail to one person. */
export interface Mail {
  /** An account's address, or one that an owner has typed. */
  to: string;
  /** Never has text of users. */
  subject: string;
  text: string;
  html: string;
}

/** Phases of a delivery; none may keep a request waiting for long. */
const TIMEOUTS = {
  dnsTimeout: 4_000,
  connectionTimeout: 4_000,
  greetingTimeout: 4_000,
  socketTimeout: 6_000,
};
/** A server that sends a byte now and then must not prolong a delivery. */
const DEADLINE_MS = 8_000;

export interface MailerOptions {
  /** `SMTP_URL`. */
  smtpUrl: string;
  /** `MAIL_FROM`. */
  from: string;
  runtime: Pick<Runtime, "sleep">;
  log: Pick<Logger, "info" | "warn">;
  /** Default: unless the server is on this machine. */
  requireTls?: boolean;
}

/**
 * Sends mails through the operator's server. TLS with a valid certificate is required, except on loopback:
 * a password and one-time links must not be read on the way. Errors are logged by their code only, because
 * texts of servers may contain addresses and credentials.
 */
export class Mailer {
  readonly #server: SmtpServer;
  readonly #sender: MailSender;
  readonly #options: MailerOptions;

  /** Throws for settings that `readConfig` rejects. */
  constructor(options: MailerOptions) {
    const server = parseSmtpUrl(options.smtpUrl);
    const sender = parseMailSender(options.from);
    if (server === undefined || sender === undefined) throw new Error("unusable mail settings");
    this.#server = server;
    this.#sender = sender;
    this.#options = options;
  }

  /** True once the server has accepted the mail. Never throws, and takes at most 8 seconds. */
  async send({ to, subject, text, html }: Mail): Promise<boolean> {
    const { log } = this.#options;
    if (!isPlainAddress(to)) return false;
    const { address } = this.#sender;
    const message = {
      from: this.#sender,
      to: { name: "", address: to },
      ...{ subject, text, html },
      // The addresses of the headers, of which nothing else is a recipient.
      envelope: { from: address, to: [to] },
      // No automatic replies, please.
      headers: { "auto-submitted": "auto-generated", "x-auto-response-suppress": "All" },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    };
    try {
      await this.#withTransport((transport) => transport.sendMail(message));
      log.info("mail: sent");
      return true;
    } catch (error) {
      log.warn("mail: not sent", mailFailure(error));
      return false;
    }
  }

  /** Connects and signs in, without sending anything. Returns why that fails, if it does. */
  async check(): Promise<string | undefined> {
    try {
      await this.#withTransport((transport) => transport.verify());
      return undefined;
    } catch (error) {
      return Object.values(mailFailure(error)).join(" ") || "unknown failure";
    }
  }

  async #withTransport<T>(use: (transport: Transport) => Promise<T>): Promise<T> {
    // Most processes send no mail.
    const { createTransport } = await loadModule("mail", () => import("nodemailer"));
    const transport = createTransport(transportOptions(this.#server, this.#options.requireTls));
    let cancel = () => {};
    const deadline = new Promise<never>((_resolve, reject) => {
      const late = () => reject(Object.assign(new Error("too slow"), { code: "EDEADLINE" }));
      cancel = setTimer(this.#options.runtime, DEADLINE_MS, late);
    });
    try {
      return await Promise.race([use(transport), deadline]);
    } finally {
      cancel();
      transport.close();
    }
  }
}

type Transport = ReturnType<typeof import("nodemailer").createTransport>;

function transportOptions(
  { host, port, implicitTls, auth }: SmtpServer,
  requireTls = !isLoopback(host),
) {
  return {
    ...{ host, port, auth, secure: implicitTls, requireTLS: requireTls && !implicitTls },
    tls: { minVersion: "TLSv1.2" as const, rejectUnauthorized: requireTls },
    ...TIMEOUTS,
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** What is wrong, without any text of the server. */
function mailFailure(error: unknown): Record<string, string | number> {
  const { code, command, responseCode } = error as Record<string, unknown>;
  return {
    ...typeof code === "string" && { code },
    ...typeof command === "string" && /^[A-Z ]{1,20}$/i.test(command) && { command },
    ...typeof responseCode === "number" && { responseCode },
  };
}
