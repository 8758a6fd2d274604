import type { UserService } from "../accounts/user_admin.ts";
import { isoTime } from "../system.ts";
import { CommandError, type CommandFamily, parseCommandInput } from "./commands.ts";
import type { ResolveTenant } from "./tenant_finder.ts";

/** The commands for users on an open store. */
export function userCommands(
  { users, tenantId, baseUrl }: {
    users: Pick<UserService, "list" | "createResetLink">;
    tenantId: ResolveTenant;
    /** Where the dashboard is reached, without a trailing slash. */
    baseUrl: string;
  },
): CommandFamily<"users"> {
  return {
    "users.list": async (input) => {
      const { tenant } = parseCommandInput("users.list", input);
      const all = await users.list(await tenantId(tenant));
      return { users: all.map((user) => ({ ...user, createdAt: isoTime(user.createdAt) })) };
    },
    "users.reset": async (input) => {
      const { email } = parseCommandInput("users.reset", input);
      const reset = await users.createResetLink(email);
      if (reset === undefined) throw new CommandError(`no user has the e-mail ${email}`);
      return { ...reset, baseUrl };
    },
  };
}
