import type { ToolSecretInfo } from "../lib/wire/tool_secret.ts";
import { formatMinute, formatTable } from "./table.ts";

/** Secrets as a table for a terminal; one line says that there are none. */
export function formatSecrets(secrets: readonly ToolSecretInfo[]): string {
  if (secrets.length === 0) return "No secrets yet.";
  const rows = secrets.map(({ name, updatedAt, domains, agentId }) => [
    name,
    formatMinute(updatedAt),
    domains.join(","),
    agentId ?? "any",
  ]);
  return formatTable([["NAME", "SET", "DOMAINS", "AGENT"], ...rows]);
}
