import type { EnvVariable } from "./env_variable.ts";
import * as schemas from "./value_schemas.ts";

export const MAIL_VARIABLES = {
  smtpUrl: {
    name: "SMTP_URL",
    purpose:
      "mail server for invitations and forgotten passwords; `smtp` needs STARTTLS, except on " +
      "loopback; special characters of user and password are percent-encoded",
    type: "URL `smtp[s]://[user:password@]host[:port]`",
    unset: "no mail is sent: links are passed on by people",
    example: "smtps://<user>:<password>@mail.example.com",
    secret: true,
    schema: schemas.smtpUrlValue.optional(),
  },
  mailFrom: {
    name: "MAIL_FROM",
    purpose: "sender of mails; needed with `SMTP_URL`",
    type: "`address` or `Name <address>`",
    unset: "no mail is sent",
    example: "Agent Chat <no-reply@example.com>",
    schema: schemas.mailFromValue.optional(),
  },
} as const satisfies Record<string, EnvVariable>;
