import {
  activeAuditFilters,
  auditLog,
  readAuditFilters,
  toAuditFilter,
} from "@/lib/dashboard/audit_filters.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { AUDIT_EXPORT_FORMATS } from "@/lib/services/audit/audit_export.ts";
import { define } from "@/utils.ts";

const TYPES = { csv: "text/csv", jsonl: "application/jsonl" } as const;

/** Every entry that the page with the same filters shows, oldest first, streamed. */
export const handler = define.handlers({
  async GET(ctx) {
    const { auditExport, runtime, securityLog } = ctx.state.service;
    const user = signedIn(ctx.state);
    const wanted = ctx.url.searchParams.get("format");
    const format = AUDIT_EXPORT_FORMATS.find((one) => one === wanted) ?? "csv";
    const filters = readAuditFilters(ctx.url);
    const log = auditLog(filters, user);
    const query = { format, filter: toAuditFilter(filters), filters: activeAuditFilters(filters) };
    await securityLog.flush();
    await auditExport.record(log, query);
    const body = ReadableStream.from(auditExport.lines(log, query))
      .pipeThrough(new TextEncoderStream());
    const day = dayOf(runtime.now());
    return new Response(body, {
      headers: {
        "content-type": `${TYPES[format]}; charset=utf-8`,
        "content-disposition": `attachment; filename="audit-log-${day}.${format}"`,
        "cache-control": "no-store",
      },
    });
  },
});
