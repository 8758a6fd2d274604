import { z } from "zod";

/** A mail server, and how to sign in to it. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte on, rather than by STARTTLS. */
  implicitTls: boolean;
  auth?: { user: string; pass: string } | undefined;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "smtp:": 587, "smtps:": 465 };

/** Parses `smtp[s]://[user:password@]host[:port]`; `undefined` for anything else. */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.parse(text);
  const port = DEFAULT_PORTS[url?.protocol ?? ""];
  if (url === null || port === undefined || url.hostname === "") return undefined;
  if (!["", "/"].includes(url.pathname) || url.search !== "" || url.hash !== "") return undefined;
  const hasUser = url.username !== "";
  if (hasUser !== (url.password !== "")) return undefined;
  try {
    const [user, pass] = [url.username, url.password].map(decodeURIComponent) as [string, string];
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase(),
      port: url.port === "" ? port : Number(url.port),
      implicitTls: url.protocol === "smtps:",
      ...hasUser && { auth: { user, pass } },
    };
  } catch {
    return undefined;
  }
}

/** A sender: its address, and the name that people see. */
export interface MailSender {
  name: string;
  address: string;
}

/** An address that can be neither a list, nor a comment, nor a line of a header. */
const PLAIN_ADDRESS = /^[^\s<>()[\]\\,;:"@\p{Cc}]{1,64}@[^\s<>()[\]\\,;:"@\p{Cc}]{1,253}$/u;

export function isPlainAddress(text: string): boolean {
  return PLAIN_ADDRESS.test(text) && z.email().safeParse(text).success;
}

/** Parses `address` or `Name <address>`; `undefined` for anything else. */
export function parseMailSender(text: string): MailSender | undefined {
  const [, name = "", inBrackets] = /^([^<>"\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? [];
  const address = (inBrackets ?? text).trim();
  return isPlainAddress(address) ? { name: name.trim(), address } : undefined;
}
