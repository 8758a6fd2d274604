import { Buffer } from "node:buffer";
import { SMTPServer } from "smtp-server";

/** A mail as the server has received it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** The message with its headers. */
  source: string;
  /** Whether the connection was encrypted, and who had signed in. */
  secure: boolean;
  user: string | undefined;
}

export interface MailServerOptions {
  /** Without it, the server offers no STARTTLS. */
  startTls?: boolean;
  /** Rejects every recipient. */
  rejects?: boolean;
}

const file = (name: string) =>
  Deno.readTextFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));
const CERTIFICATE = { key: file("leaf.key"), cert: file("leaf.pem") };

/** What clients sign in with. */
export const MAIL_USER = { user: "mailer", pass: "p@ss word" };

/** A mail server on loopback, with a self-signed certificate. */
export class MailServer implements AsyncDisposable {
  readonly mails: ReceivedMail[] = [];
  /** Attempts to sign in. */
  signIns = 0;
  readonly #server: SMTPServer;
  #waiting: (() => void)[] = [];
  port = 0;

  private constructor({ startTls = true, rejects = false }: MailServerOptions) {
    this.#server = new SMTPServer({
      ...CERTIFICATE,
      disabledCommands: startTls ? [] : ["STARTTLS"],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      authOptional: true,
      onAuth: ({ username, password }, _session, done) => {
        this.signIns++;
        const isRight = username === MAIL_USER.user && password === MAIL_USER.pass;
        done(isRight ? null : new Error("wrong password"), { user: username });
      },
      onRcptTo: (_address, _session, done) =>
        done(rejects ? new Error("no such mailbox, says the server") : null),
      onData: (stream, session, done) => {
        const chunks: Uint8Array[] = [];
        stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        stream.on("end", () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            from: mailFrom === false ? "" : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            source: Buffer.concat(chunks).toString(),
            secure: session.secure,
            user: session.user as string | undefined,
          });
          done();
          for (const wake of this.#waiting.splice(0)) wake();
        });
      },
    });
    this.#server.on("error", () => {});
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    await new Promise<void>((listening) => {
      server.#server.listen(0, "127.0.0.1", () => listening());
    });
    server.port = (server.#server.server.address() as { port: number }).port;
    return server;
  }

  /** `SMTP_URL` with the right credentials. */
  get url(): string {
    const [user, pass] = [MAIL_USER.user, MAIL_USER.pass].map(encodeURIComponent);
    return `smtp://${user}:${pass}@127.0.0.1:${this.port}`;
  }

  /** Resolves once `count` mails have arrived. */
  async received(count: number): Promise<ReceivedMail[]> {
    while (this.mails.length < count) await new Promise<void>((wake) => this.#waiting.push(wake));
    return this.mails;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((closed) => this.#server.close(() => closed()));
  }
}

/** The text of a message whose only parts are quoted-printable or plain. */
export function decodeMail({ source }: ReceivedMail): string {
  const joined = source.replace(/=\r?\n/g, "");
  const bytes = joined.replace(
    /(?:=[0-9A-F]{2})+/g,
    (text) => Buffer.from(text.replaceAll("=", ""), "hex").toString(),
  );
  return bytes.replaceAll("\r\n", "\n");
}
