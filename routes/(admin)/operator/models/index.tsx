import { page } from "fresh";
import { EmptyState } from "@/components/EmptyState.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { type Column, DataTable } from "@/components/DataTable.tsx";
import { formatCount } from "@/lib/dashboard/format_amount.ts";
import { type SortKeys, sortRows } from "@/lib/dashboard/sort_rows.ts";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { modelHref } from "@/lib/dashboard/models/model_form.ts";
import { defaultProviderLabel } from "@/lib/dashboard/models/model_groups.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import type { CatalogueEntry } from "@/lib/store/providers/catalogue_store.ts";
import { define } from "@/utils.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

interface Row {
  entry: CatalogueEntry;
  /** Display name of the model's provider. */
  provider: string;
  isConnected: boolean;
}

const SORT_KEYS: SortKeys<Row> = {
  model: ({ entry }) => entry.model,
  provider: ({ provider }) => provider,
  input: ({ entry }) => entry.inputUsdPerMTok,
  output: ({ entry }) => entry.outputUsdPerMTok,
  context: ({ entry }) => entry.contextTokens,
};

export const handler = define.handlers({
  async GET({ state, url }) {
    const { catalogue, providers } = state.service;
    const entries = (await catalogue.listStored()).map((entry): Row => {
      const connection = providers.connection(entry.vendor);
      const provider = connection?.name ?? defaultProviderLabel(entry.vendor);
      return { entry, provider, isConnected: connection !== undefined };
    });
    const by = { by: "model", isDescending: false };
    const { rows, sorting } = sortRows(entries, { url, keys: SORT_KEYS, by });
    const { items, ...links } = paginate(rows, url);
    return page({ rows: items, sorting, links });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const add = <a class="button button-primary" href="/operator/models/model">{t("Add model")}</a>;
  return (
    <>
      <PageHeader
        title={t("Models")}
        text={t("The models that plans can include, with their prices.")}
      >
        {data.rows.length > 0 && add}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      {data.rows.length === 0
        ? (
          <EmptyState
            icon="models"
            title={t("No models yet")}
            text={t(
              "Add your providers' models with their prices. Models without a price cannot be used.",
            )}
          >
            {add}
          </EmptyState>
        )
        : (
          <DataTable
            caption={t("Models")}
            columns={COLUMNS}
            rows={data.rows}
            rowKey={({ entry }) => `${entry.vendor}/${entry.model}`}
            url={url}
            sorting={data.sorting}
          />
        )}
      <Pagination {...data.links} />
    </>
  );
});

const COLUMNS: Column<Row>[] = [
  {
    id: "model",
    heading: msg("Model"),
    isSortable: true,
    cell: ({ entry, isConnected }) => (
      <span class="cell-name">
        <a class="row-link" href={modelHref("model", entry)}>{entry.model}</a>
        {entry.vision && <span class="tag">{t("Images")}</span>}
        {!isConnected && <span class="badge badge-expired">{t("Not connected")}</span>}
      </span>
    ),
  },
  { id: "provider", heading: msg("Provider"), isSortable: true, cell: ({ provider }) => provider },
  {
    id: "input",
    heading: msg("Input $/M tokens"),
    isSortable: true,
    isNumber: true,
    cell: ({ entry }) => entry.inputUsdPerMTok,
  },
  {
    id: "output",
    heading: msg("Output $/M tokens"),
    isSortable: true,
    isNumber: true,
    cell: ({ entry }) => entry.outputUsdPerMTok,
  },
  {
    id: "context",
    heading: msg("Context tokens"),
    isSortable: true,
    isNumber: true,
    cell: ({ entry }) => formatCount(entry.contextTokens),
  },
];
