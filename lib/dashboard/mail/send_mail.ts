import type { Mail } from "../../services/mail/mailer.ts";
import type { State } from "@/utils.ts";

/** Whether a mail was sent; absent if mail is not configured. */
export type MailDelivery = { to: string; isSent: boolean } | undefined;

/** Sends a mail while the page waits, at most 8 seconds. A mail that fails loses nothing. */
export async function sendMail(
  { service: { mailer } }: Pick<State, "service">,
  mail: Mail,
): Promise<MailDelivery> {
  if (mailer === undefined) return undefined;
  return { to: mail.to, isSent: await mailer.send(mail) };
}
