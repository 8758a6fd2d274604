import { presetTitle } from "@/lib/dashboard/key_presets.ts";
import type { Sorting, SortKeys } from "@/lib/dashboard/sort_rows.ts";
import type { ApiKey } from "@/lib/store/credentials/api_key_store.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { Time } from "./Time.tsx";
import { msg, rich, t } from "@/lib/dashboard/texts/translate.ts";

export const API_KEY_SORT_KEYS: SortKeys<ApiKey> = {
  name: ({ name }) => name,
  created: ({ createdAt }) => createdAt,
  used: ({ lastUsedAt }) => lastUsedAt ?? "",
  // Keys that never expire come last.
  expires: ({ expiresAt }) => expiresAt ?? "9999",
};

const STATES: Record<ApiKey["state"], string> = {
  active: msg("Active"),
  expired: msg("Expired"),
  revoked: msg("Revoked"),
};

export interface ApiKeyTableProps {
  apiKeys: readonly ApiKey[];
  now: number;
  editor: boolean;
  url: URL;
  sorting: Sorting;
}

/** A tenant's API keys, by the start of their secrets. */
export function ApiKeyTable({ apiKeys, now, editor, url, sorting }: ApiKeyTableProps) {
  const time = (at: string | undefined) => at ? <Time at={at} now={now} /> : t("Never");
  const columns: Column<ApiKey>[] = [
    { id: "name", heading: t("Name"), isSortable: true, cell: (key) => <Name apiKey={key} /> },
    { id: "key", heading: t("Key"), cell: (key) => <Secrets apiKey={key} now={now} /> },
    { id: "scopes", heading: t("Access"), cell: ({ scopes }) => <Scopes scopes={scopes} /> },
    {
      id: "created",
      heading: t("Created"),
      isSortable: true,
      cell: ({ createdAt }) => time(createdAt),
    },
    {
      id: "used",
      heading: t("Last used"),
      isSortable: true,
      cell: ({ lastUsedAt }) => time(lastUsedAt),
    },
    {
      id: "expires",
      heading: t("Expires"),
      isSortable: true,
      cell: ({ expiresAt }) => time(expiresAt),
    },
    ...editor ? [ACTIONS] : [],
  ];
  return (
    <DataTable
      caption={t("API keys")}
      columns={columns}
      rows={apiKeys}
      rowKey={({ id }) => id}
      url={url}
      sorting={sorting}
    />
  );
}

function Name({ apiKey: { name, state } }: { apiKey: ApiKey }) {
  return (
    <span class="cell-name">
      <span>{name}</span>
      {state !== "active" && <span class={`badge badge-${state}`}>{t(STATES[state])}</span>}
    </span>
  );
}

/** A secret that a rotation has replaced is shown until it ends, and the last one always. */
function Secrets({ apiKey: { secrets }, now }: { apiKey: ApiKey; now: number }) {
  const live = secrets.filter(({ expiresAt }) =>
    expiresAt === undefined || Date.parse(expiresAt) > now
  );
  return (
    <>
      {live.map(({ prefix, expiresAt }) => (
        <span key={prefix} class="prefix">
          <code>{`ck_live_${prefix}_…`}</code>
          {expiresAt && (
            <>
              {" "}
              {rich("expires {time}", { time: <Time at={expiresAt} now={now} /> })}
            </>
          )}
        </span>
      ))}
    </>
  );
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const title = presetTitle(scopes);
  if (title !== undefined) return <span title={scopes.join(", ")}>{title}</span>;
  return (
    <span class="cell-tags">
      {scopes.map((scope) => <code key={scope} class="tag">{scope}</code>)}
    </span>
  );
}

const ACTIONS: Column<ApiKey> = {
  id: "actions",
  heading: msg("Actions"),
  isHeadingHidden: true,
  cell: ({ id, name, state }) =>
    state === "active" && (
      <>
        <a
          class="button button-small"
          href={`/api-keys/${id}/rotate`}
          aria-current="false"
          aria-label={t("Rotate {name}", { name })}
        >
          {t("Rotate")}
        </a>
        <a
          class="button button-small"
          href={`/api-keys/${id}/revoke`}
          aria-current="false"
          aria-label={t("Revoke {name}", { name })}
        >
          {t("Revoke")}
        </a>
      </>
    ),
};
