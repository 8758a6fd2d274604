import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { modelHref } from "@/lib/dashboard/models/model_form.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { catalogue, providers } = ctx.state.service;
    const { items, ...links } = paginate(await catalogue.listStored(), ctx.url);
    const rows = items.map((entry) => ({
      entry,
      ready: providers.connection(entry.vendor) !== undefined,
    }));
    return page({ rows, links });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const add = <a class="button button-primary" href="/operator/catalogue/model">Add model</a>;
  return (
    <>
      <PageHeader
        title="Model catalog"
        text="The models that plans can include, with their prices. The demo model is always included."
      >
        {data.rows.length > 0 && add}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {data.rows.length === 0
        ? (
          <EmptyState
            icon="catalogue"
            title="No models yet"
            text="Add your providers' models with their prices. Models without a price cannot be used."
          >
            {add}
          </EmptyState>
        )
        : (
          <ul class="rows">
            {data.rows.map(({ entry, ready }) => (
              <ModelRow key={`${entry.vendor}/${entry.model}`} entry={entry} ready={ready} />
            ))}
          </ul>
        )}
      <Pagination {...data.links} />
    </>
  );
});

function ModelRow({ entry, ready }: { entry: CatalogueEntry; ready: boolean }) {
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-name">
          <a class="row-link" href={modelHref("model", entry)}>{entry.model}</a>
          {!ready && <span class="badge badge-expired">Not connected</span>}
        </p>
        <p class="row-text">
          <code>{entry.vendor}</code>
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
