import type { CommandInput } from "../lib/server/commands/commands.ts";
import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";

/** The parsed command line. */
export type UsersArgs =
  | { action: "list"; input: CommandInput<"users.list"> }
  | { action: "reset"; input: CommandInput<"users.reset"> }
  | { action: "reset-factors"; input: CommandInput<"users.reset_factors"> }
  | { action: "operator"; input: CommandInput<"users.operator"> };

export const USERS_HELP =
  `Lists the dashboard's users, resets passwords and second factors, and grants and revokes the operator role, whether or
not the service is running.

  deno task users reset EMAIL
      prints a one-time link to set a new password, valid for one hour. Signs the user out
      everywhere. The old password works until the link is used. Opening the link requires a
      running service.
  deno task users reset-factors EMAIL
      removes the passkeys, authenticator app and recovery codes of a user who has lost them, and
      signs the user out everywhere.
  deno task users operator grant|revoke EMAIL
      makes a user of any tenant an operator of the installation, or takes the role back. The last
      operator keeps it.
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
      return { action, input: { email: requireEmail(rest[0], "reset EMAIL") } };
    case "reset-factors":
      if (values.tenant !== undefined) throw new UsageError("--tenant is only valid with list");
      rejectExtra(rest.slice(1));
      return { action, input: { email: requireEmail(rest[0], "reset-factors EMAIL") } };
    case "operator":
      if (values.tenant !== undefined) throw new UsageError("--tenant is only valid with list");
      rejectExtra(rest.slice(2));
      return { action, input: operatorInput(rest) };
    default:
      throw unknownAction(action, "list, reset, reset-factors or operator");
  }
}

function operatorInput([change, email]: string[]): CommandInput<"users.operator"> {
  if (change !== "grant" && change !== "revoke") {
    throw new UsageError("say grant or revoke: operator grant EMAIL");
  }
  const operator = change === "grant";
  return { operator, email: requireEmail(email, `operator ${change} EMAIL`) };
}

function requireEmail(word: string | undefined, usage: string): string {
  if (word === undefined) throw new UsageError(`missing e-mail address: ${usage}`);
  if (!word.includes("@")) {
    throw new UsageError("EMAIL must be the e-mail address that the user signs in with");
  }
  return word;
}
