import type { ApiKey } from "../lib/storage/api_key_store.ts";

const COLUMNS = ["PREFIX", "NAME", "STATE", "CREATED", "LAST USED", "EXPIRES", "SCOPES"];

/** Keys as a table for a terminal; one line says that there are none. */
export function formatKeys(apiKeys: readonly ApiKey[]): string {
  if (apiKeys.length === 0) return "No API keys yet.";
  const rows = [COLUMNS, ...apiKeys.map(toRow)];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => [...row[at]!].length)));
  return rows
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join("  ").trimEnd())
    .join("\n");
}

function toRow(apiKey: ApiKey): string[] {
  return [
    apiKey.secrets.map((secret) => secret.prefix).join(","),
    // A name comes from whoever made the key: it must not drive the terminal.
    apiKey.name.replace(/\p{Cc}/gu, " "),
    apiKey.state,
    minute(apiKey.createdAt),
    minute(apiKey.lastUsedAt),
    minute(apiKey.expiresAt),
    apiKey.scopes.join(","),
  ];
}

function minute(time: string | undefined): string {
  return time === undefined ? "-" : `${time.slice(0, 16).replace("T", " ")}Z`;
}
