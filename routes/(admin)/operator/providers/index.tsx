import { page } from "fresh";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { ConnectionRows } from "@/components/ConnectionRows.tsx";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { EmptyState } from "@/components/EmptyState.tsx";
import { type ConnectionView, connectionViews } from "@/lib/dashboard/models/connection_views.ts";
import { countModels } from "@/lib/dashboard/models/edit_connection.ts";
import { plural } from "@/lib/dashboard/format_amount.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { service } = ctx.state;
    // Reading the catalog loads changed connections, which otherwise happens with each run.
    await service.catalogue.list();
    const models = await countModels(service);
    return page({ slots: connectionViews(service), models, now: service.runtime.now() });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const connected = data.slots.filter(({ state }) => state !== "empty");
  const connect = (
    <a class="button button-primary" href="/operator/providers/connect">{t("Connect model")}</a>
  );
  return (
    <>
      <PageHeader
        title={t("Model providers")}
        text={t("Up to three connections. Those set by environment variables are read-only.")}
      >
        {connected.length > 0 && connected.length < data.slots.length && connect}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {connected.length === 0
        ? (
          <EmptyState
            icon="providers"
            title={t("No provider connected")}
            text={t("Until then, agents can only use the built-in demo model.")}
          >
            {connect}
          </EmptyState>
        )
        : (
          <ConnectionRows
            slots={connected}
            now={data.now}
            operator
            action={(slot) => (
              <ConnectionActions slot={slot} models={data.models[slot.vendor] ?? 0} />
            )}
          />
        )}
    </>
  );
});

function ConnectionActions(
  { slot: { vendor, label, source }, models }: { slot: ConnectionView; models: number },
) {
  const path = `/operator/providers/${vendor}`;
  return (
    <>
      <a
        class="button button-small"
        href={`${path}/models`}
        aria-label={t("{count} of {label}", {
          count: plural(models, "{count} model", "{count} models"),
          label,
        })}
        aria-current="false"
      >
        {plural(models, "{count} model", "{count} models")}
      </a>
      {source !== "environment" && (
        <a
          class="button button-small"
          href={path}
          aria-label={t("Edit {label}", { label })}
          aria-current="false"
        >
          {t("Edit")}
        </a>
      )}
    </>
  );
}
