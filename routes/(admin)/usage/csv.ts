import { withUsageNames } from "@/lib/http/dashboard/name_usage.ts";
import { signedIn } from "@/lib/http/dashboard/signed_in.ts";
import { readUsageQuery } from "@/lib/http/dashboard/usage_query.ts";
import { dayOf } from "@/lib/limits/ledger.ts";
import { usageCsv } from "@/lib/usage/usage_csv.ts";
import { splitModel } from "@/lib/usage/usage_report.ts";
import type { UsageGroup } from "@/lib/usage/usage_sums.ts";
import { define } from "@/utils.ts";

const HEADINGS: Record<UsageGroup, string[]> = {
  day: ["day"],
  agent: ["agent_id", "agent_name"],
  model: ["provider", "model"],
  key: ["key_id", "key_name"],
};

/** Everything that the page of the same query shows the first lines of. */
export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const { tenant } = signedIn(ctx.state);
    const { range, by } = readUsageQuery(ctx.url, dayOf(service.system.now()));
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
