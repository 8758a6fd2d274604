export const SCOPES = {
  "agents:read": "Read agents and their versions",
  "agents:write": "Create, change and delete agents; mint playground sessions",
  "widget:mint": "Mint browser-safe widget sessions",
  "billing:read": "Read usage and cost",
  "knowledge:read": "Read and search knowledge bases",
  "knowledge:write": "Create, change and delete knowledge bases and documents",
  "conversations:read": "Read conversations",
  "conversations:write": "Delete conversations",
} as const;
export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as [Scope, ...Scope[]];

/** True if `granted` includes `wanted`; a `:write` scope includes its `:read`. */
export function hasScope(granted: readonly Scope[], wanted: Scope): boolean {
  if (granted.includes(wanted)) return true;
  return wanted.endsWith(":read") && granted.includes(wanted.replace(":read", ":write") as Scope);
}

/** True if a key may chat, follow and cancel runs: any key that is not read-only. */
export function canChat(granted: readonly Scope[]): boolean {
  return granted.some((scope) => !scope.endsWith(":read"));
}
