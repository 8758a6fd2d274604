import { dayOf } from "../../platform/utc_day.ts";
import type { Service } from "../../http/service.ts";

/** Records the export of a tenant, and streams it as a download. */
export async function exportResponse(
  { tenantExport, runtime, log }: Pick<Service, "tenantExport" | "runtime" | "log">,
  tenant: { id: string; name: string },
): Promise<Response> {
  await tenantExport.record(tenant.id, tenant);
  log.info("tenant export begun", { tenant: tenant.id });
  const body = ReadableStream.from(tenantExport.lines(tenant.id))
    .pipeThrough(new TextEncoderStream());
  const day = dayOf(runtime.now());
  return new Response(body, {
    headers: {
      "content-type": "application/jsonl; charset=utf-8",
      "content-disposition": `attachment; filename="tenant-${tenant.id}-${day}.jsonl"`,
      "cache-control": "no-store",
    },
  });
}
