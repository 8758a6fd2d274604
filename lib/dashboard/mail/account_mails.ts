import type { Mail } from "../../services/mail/mailer.ts";
import { currentLanguage, t } from "../texts/translate.ts";

/** Mails are in the language of the person whose request sends them. */
export interface AccountMail {
  to: string;
  link: string;
}

/** `by` is the address of the person who invites. */
export function invitationMail({ to, link, by }: AccountMail & { by: string }): Mail {
  return accountMail({ to, link }, {
    subject: t("Your invitation to Agent Chat"),
    before: [t("{email} has invited you to the dashboard of Agent Chat.", { email: by })],
    action: t("Accept the invitation"),
    after: [
      t("The link works once, for 7 days. Do not forward this mail: the link sets the password."),
      t("If you do not know the sender, ignore this mail."),
    ],
  });
}

export function passwordResetMail(
  { to, link, ttl }: AccountMail & { ttl: "1 hour" | "24 hours" },
): Mail {
  return accountMail({ to, link }, {
    subject: t("Choose a new password for Agent Chat"),
    before: [t("With this link you can choose a new password for the dashboard of Agent Chat.")],
    action: t("Choose a new password"),
    after: [
      ttl === "1 hour"
        ? t("The link works once, for 1 hour. Using it signs you out everywhere else.")
        : t("The link works once, for 24 hours. Using it signs you out everywhere else."),
      t("If you did not ask for this, ignore this mail: your password stays as it is."),
    ],
  });
}

interface MailTexts {
  subject: string;
  before: string[];
  action: string;
  after: string[];
}

function accountMail(
  { to, link }: AccountMail,
  { subject, before, action, after }: MailTexts,
): Mail {
  const text = [...before, `${action}:\n${link}`, ...after].join("\n\n") + "\n";
  const paragraph = (content: string) => `<p>${escapeHtml(content)}</p>`;
  const url = escapeHtml(link);
  const html = [
    `<!doctype html><html lang="${currentLanguage()}"><head><meta charset="utf-8">`,
    `<title>${escapeHtml(subject)}</title></head><body>`,
    ...before.map(paragraph),
    `<p><a href="${url}">${escapeHtml(action)}</a></p><p>${url}</p>`,
    ...after.map(paragraph),
    "</body></html>",
  ].join("\n");
  return { to, subject, text, html };
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" },
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
