import { page } from "fresh";
import { PageHeader } from "@/components/PageHeader.tsx";
import { ConnectionRows } from "@/components/ConnectionRows.tsx";
import { connectionViews } from "@/lib/dashboard/models/connection_views.ts";
import { systemFacts } from "@/lib/dashboard/system_facts.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    const ready = await service.ready();
    return page({
      ready,
      facts: await systemFacts(service, Deno.memoryUsage().rss),
      slots: connectionViews(service).filter(({ state }) => state !== "empty"),
      now: service.runtime.now(),
    });
  },
});

export default define.page<typeof handler>(({ data }) => (
  <>
    <PageHeader title={t("Status")} text={t("The process that served this page.")} />
    <div class="sections">
      <section class="card stack" aria-labelledby="process">
        <h2 id="process">
          {t("Process")}{" "}
          <span class={data.ready ? "badge badge-active" : "badge badge-failing"}>
            {data.ready ? t("Ready") : t("Not ready")}
          </span>
        </h2>
        <dl class="values">
          {data.facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-labelledby="slots">
        <h2 id="slots" class="section-head">{t("Model providers")}</h2>
        <ConnectionRows slots={data.slots} now={data.now} operator />
      </section>
    </div>
  </>
));
