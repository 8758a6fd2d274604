import { keys } from "../keys/keys.ts";
import { StorageUsage } from "../tenants/storage_usage.ts";
import { parseRecord } from "../values/record.ts";
import { attachmentRecordSchema, storedBytes } from "./attachment_record.ts";

/** The storage used by a tenant's attachments. */
export function attachmentStorageUsage(kv: Deno.Kv): StorageUsage<"attachmentBytes"> {
  const count = async (tenant: string) => {
    let attachmentBytes = 0;
    for await (const entry of kv.list({ prefix: keys.tenantAttachments(tenant) })) {
      attachmentBytes += storedBytes(parseRecord(attachmentRecordSchema, entry)!);
    }
    return { attachmentBytes };
  };
  return new StorageUsage(kv, { area: "attachments", count });
}
