import type { CommandOutputs } from "../lib/process/commands.ts";
import { formatMinute, formatTable } from "./table.ts";

/** Users as a table for a terminal; one line says that there are none. */
export function formatUsers(users: CommandOutputs["users.list"]["users"]): string {
  if (users.length === 0) return "No users yet.";
  const rows = users.map(({ email, role, operator, createdAt }) => [
    email.replace(/\p{Cc}/gu, " "),
    operator ? `${role}, operator` : role,
    formatMinute(createdAt),
  ]);
  return formatTable([["E-MAIL", "ROLE", "CREATED"], ...rows]);
}
