import type { ApiKey } from "../lib/storage/api_key_store.ts";
import { formatMinute, formatTable } from "./table.ts";

const COLUMNS = ["PREFIX", "NAME", "STATE", "CREATED", "LAST USED", "EXPIRES", "SCOPES"];

/** Keys as a table for a terminal; one line says that there are none. */
export function formatKeys(apiKeys: readonly ApiKey[]): string {
  if (apiKeys.length === 0) return "No API keys yet.";
  return formatTable([COLUMNS, ...apiKeys.map(toRow)]);
}

function toRow(apiKey: ApiKey): string[] {
  return [
    apiKey.secrets.map((secret) => secret.prefix).join(","),
    // A name comes from whoever made the key: it must not drive the terminal.
    apiKey.name.replace(/\p{Cc}/gu, " "),
    apiKey.state,
    formatMinute(apiKey.createdAt),
    formatMinute(apiKey.lastUsedAt),
    formatMinute(apiKey.expiresAt),
    apiKey.scopes.join(","),
  ];
}
