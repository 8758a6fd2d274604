import type { ApiKey } from "../store/credentials/api_key_store.ts";

const UNUSED_MS = 90 * 86_400_000;

/** An active key that has been unused for 90 days and is older than that: it can be revoked. */
export function isUnusedKey(
  { state, createdAt, lastUsedAt }: Pick<ApiKey, "state" | "createdAt" | "lastUsedAt">,
  now: number,
): boolean {
  return state === "active" && now - Date.parse(lastUsedAt ?? createdAt) > UNUSED_MS;
}
