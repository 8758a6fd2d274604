/**
 * `deno task users`: lists the dashboard's users, resets passwords and second factors, and grants or revokes
 * the operator role, whether or not the service is running. A link is written to standard output, messages
 * to standard error.
 */
import type { CommandOutputs, Commands } from "../lib/server/commands/commands.ts";
import { formatMinute, formatTable } from "./table.ts";
import { passwordResetLink } from "../lib/dashboard/sign_in/account_links.ts";
import { runCommandLine } from "./run_command_line.ts";
import { parseUsersArgs, USERS_HELP, type UsersArgs } from "./users_args.ts";

function formatUsers(users: CommandOutputs["users.list"]["users"]): string {
  if (users.length === 0) return "No users yet.";
  const rows = users.map(({ email, role, operator, createdAt }) => [
    email.replace(/\p{Cc}/gu, " "),
    operator ? `${role}, operator` : role,
    formatMinute(createdAt),
  ]);
  return formatTable([["E-MAIL", "ROLE", "CREATED"], ...rows]);
}

if (import.meta.main) {
  const line = { name: "users", help: USERS_HELP, parse: parseUsersArgs, run };
  Deno.exit(await runCommandLine(Deno.args, line));
}

async function run(args: UsersArgs, commands: Commands): Promise<void> {
  if (args.action === "list") {
    console.log(formatUsers((await commands["users.list"](args.input)).users));
    return;
  }
  if (args.action === "operator") {
    const { email, changed } = await commands["users.operator"](args.input);
    const state = args.input.operator ? "an operator" : "not an operator";
    const since = changed ? "now" : "already";
    console.log(`${email} is ${since} ${state}.`);
    return;
  }
  if (args.action === "reset-factors") {
    const { email, changed } = await commands["users.reset_factors"](args.input);
    console.log(
      changed
        ? `${email} has no second factor now, and all sign-ins have ended.`
        : `${email} had no second factor.`,
    );
    return;
  }
  const { email, token, baseUrl } = await commands["users.reset"](args.input);
  console.log(passwordResetLink(baseUrl, token));
  console.error(
    `Open this link within an hour to choose a new password for ${email}. It works once. ` +
      "All sign-ins of this user have ended.",
  );
}
