import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { modelHref } from "@/lib/dashboard/models/model_form.ts";
import { defaultProviderLabel } from "@/lib/dashboard/models/model_groups.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { catalogue, providers } = ctx.state.service;
    const { items, ...links } = paginate(await catalogue.listStored(), ctx.url);
    const rows = items.map((entry) => {
      const connection = providers.connection(entry.vendor);
      const provider = connection?.name ?? defaultProviderLabel(entry.vendor);
      return { entry, provider, ready: connection !== undefined };
    });
    return page({ rows, links });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const add = <a class="button button-primary" href="/operator/models/model">Add model</a>;
  return (
    <>
      <PageHeader
        title="Models"
        text="The models that plans can include, with their prices."
      >
        {data.rows.length > 0 && add}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {data.rows.length === 0
        ? (
          <EmptyState
            icon="models"
            title="No models yet"
            text="Add your providers' models with their prices. Models without a price cannot be used."
          >
            {add}
          </EmptyState>
        )
        : (
          <ul class="rows">
            {data.rows.map((row) => (
              <ModelRow key={`${row.entry.vendor}/${row.entry.model}`} {...row} />
            ))}
          </ul>
        )}
      <Pagination {...data.links} />
    </>
  );
});

function ModelRow(
  { entry, provider, ready }: { entry: CatalogueEntry; provider: string; ready: boolean },
) {
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-name">
          <a class="row-link" href={modelHref("model", entry)}>{entry.model}</a>
          {!ready && <span class="badge badge-expired">Not connected</span>}
        </p>
        <p class="row-text">
          {provider}
        </p>
      </div>
      <dl class="facts">
        <div>
          <dt>Input</dt>
          <dd>${entry.inputUsdPerMTok} / M</dd>
        </div>
        <div>
          <dt>Output</dt>
          <dd>${entry.outputUsdPerMTok} / M</dd>
        </div>
        <div>
          <dt>Context</dt>
          <dd>{entry.contextTokens.toLocaleString("en")}</dd>
        </div>
      </dl>
    </li>
  );
}
