import { withUsageNames } from "@/lib/dashboard/usage/usage_names.ts";
import { readUsageQuery } from "@/lib/dashboard/usage/usage_query.ts";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { dayOf } from "@/lib/platform/utc_day.ts";
import { usageCsv } from "@/lib/billing/usage_csv.ts";
import { splitModel } from "@/lib/billing/usage_report.ts";
import type { UsageGroup } from "@/lib/billing/usage_totals.ts";
import { define } from "@/utils.ts";

const HEADINGS: Record<UsageGroup, string[]> = {
  day: ["day"],
  agent: ["agent_id", "agent_name"],
  model: ["provider", "model"],
  key: ["key_id", "key_name"],
  protocol: ["protocol", "protocol_name"],
};

/** All rows of the page with the same query. */
export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const { range, by } = readUsageQuery(ctx.url, dayOf(service.runtime.now()));
    const { range: sums } = await service.usage.summary(tenant, range);
    const named = await withUsageNames({ sums, by }, { tenant, ...service });
    const rows = named.map(({ id, name, usage }) => ({ names: cells(by, { id, name }), usage }));
    return new Response(usageCsv(HEADINGS[by], rows), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition":
          `attachment; filename="usage-by-${by}-${range.from}-${range.to}.csv"`,
      },
    });
  },
});

function cells(by: UsageGroup, { id, name }: { id: string; name: string }): string[] {
  if (by === "day") return [id];
  if (by !== "model") return [id, name === id ? "" : name];
  const { provider, model } = splitModel(id);
  return [provider, model];
}
