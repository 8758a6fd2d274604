import type { CommandInput } from "../lib/server/commands/commands.ts";
import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";

/** The parsed command line. */
export type UsersArgs =
  | { action: "list"; input: CommandInput<"users.list"> }
  | { action: "reset"; input: CommandInput<"users.reset"> };

export const USERS_HELP =
  `Lists the dashboard's users and resets passwords, whether or not the service is running.

  deno task users reset EMAIL
      prints a one-time link to set a new password, valid for one hour. Signs the user out
      everywhere. The old password works until the link is used. Opening the link requires a
      running service.
  deno task users list [--tenant ID]

  --tenant  the tenant's id; without it, the default tenant`;

/** Parses the arguments of `deno task users`. Throws `UsageError`. */
export function parseUsersArgs(words: string[]): UsersArgs | { action: "help" } {
  const { values, positionals } = parseOptions(words, { tenant: { type: "string" } });
  const [action, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  switch (action) {
    case "list":
      rejectExtra(rest);
      return { action, input: values.tenant === undefined ? {} : { tenant: values.tenant } };
    case "reset":
      if (values.tenant !== undefined) throw new UsageError("--tenant is only valid with list");
      rejectExtra(rest.slice(1));
      return { action, input: { email: requireEmail(rest[0]) } };
    default:
      throw unknownAction(action, "list or reset");
  }
}

function requireEmail(word: string | undefined): string {
  if (word === undefined) throw new UsageError("missing e-mail address: reset EMAIL");
  if (!word.includes("@")) {
    throw new UsageError("EMAIL must be the e-mail address that the user signs in with");
  }
  return word;
}
