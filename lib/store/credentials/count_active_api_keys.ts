import { keys } from "../keys/keys.ts";
import { listRecords } from "../values/record.ts";
import { apiKeyRecordSchema, apiKeyState } from "./api_key_record.ts";

/** The number of a tenant's keys that are neither revoked nor expired. */
export async function countActiveApiKeys(
  kv: Deno.Kv,
  { tenant, now }: { tenant: string; now: number },
): Promise<number> {
  const records = await listRecords(kv, keys.apiKeys(tenant), apiKeyRecordSchema);
  return records.filter((record) => apiKeyState(record, now) === "active").length;
}
