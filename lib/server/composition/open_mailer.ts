import type { Config } from "../config/config.ts";
import { Mailer, type MailerOptions } from "../../services/mail/mailer.ts";

/** `undefined` unless mail is configured. */
export function openMailer(
  { smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">,
  deps: Pick<MailerOptions, "runtime" | "log">,
): Mailer | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined;
  return new Mailer({ ...deps, smtpUrl, from: mailFrom });
}
