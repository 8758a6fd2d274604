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
  /** The e-mail addresses of the tenant's users, by their ids. */
  creators: ReadonlyMap<string, string>;
  /** Of the agents that keys are restricted to; those that were deleted are missing. */
  agentNames: ReadonlyMap<string, string>;
  /** The ids of unused keys, which may be revoked. */
  unused: ReadonlySet<string>;
}

/** A tenant's API keys, by the start of their secrets. */
export function ApiKeyTable(props: ApiKeyTableProps) {
  const { apiKeys, now, editor, url, sorting, creators, agentNames, unused } = props;
  const time = (at: string | undefined) => at ? <Time at={at} now={now} /> : t("Never");
  const columns: Column<ApiKey>[] = [
    {
      id: "name",
      heading: t("Name"),
      isSortable: true,
      cell: (key) => <Name apiKey={key} now={now} />,
    },
    {
      id: "scopes",
      heading: t("Access"),
      cell: (key) => <Access apiKey={key} agentNames={agentNames} />,
    },
    {
      id: "created",
      heading: t("Created"),
      isSortable: true,
      cell: (key) => (
        <>
          {time(key.createdAt)}
          <Creator apiKey={key} creators={creators} />
        </>
      ),
    },
    {
      id: "used",
      heading: t("Last used"),
      isSortable: true,
      cell: (key) => <LastUse apiKey={key} now={now} isUnused={unused.has(key.id)} />,
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

function Name({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  const { name, purpose, state } = apiKey;
  return (
    <>
      <span class="cell-name">
        <span>{name}</span>
        {state !== "active" && <span class={`badge badge-${state}`}>{t(STATES[state])}</span>}
      </span>
      {purpose !== undefined && <span class="cell-note">{purpose}</span>}
      <span class="cell-note">
        <Secrets apiKey={apiKey} now={now} />
      </span>
    </>
  );
}

/** Keys of earlier releases do not say who created them. */
function Creator(
  { apiKey: { createdBy }, creators }: { apiKey: ApiKey; creators: ReadonlyMap<string, string> },
) {
  if (createdBy === undefined) return null;
  const email = creators.get(createdBy.id ?? "");
  return (
    <span class="cell-note">
      {createdBy.kind === "command_line"
        ? t("by the command line")
        : email === undefined
        ? t("by a former member")
        : t("by {name}", { name: email })}
    </span>
  );
}

function LastUse(
  { apiKey: { lastUsedAt, lastUsedFrom }, now, isUnused }: {
    apiKey: ApiKey;
    now: number;
    isUnused: boolean;
  },
) {
  return (
    <>
      {lastUsedAt === undefined ? t("Never") : <Time at={lastUsedAt} now={now} />}
      {lastUsedFrom !== undefined && <code class="cell-note">{lastUsedFrom}</code>}
      {isUnused && <span class="cell-note">{t("Unused for 90 days. Consider revoking it.")}</span>}
    </>
  );
}

/** What a key may do, and where. */
function Access(
  { apiKey: { scopes, agents, addresses }, agentNames }: {
    apiKey: ApiKey;
    agentNames: ReadonlyMap<string, string>;
  },
) {
  const names = agents?.map((id) => agentNames.get(id) ?? id) ?? [];
  return (
    <>
      <Scopes scopes={scopes} />
      {names.length > 0 && (
        <span class="cell-note" title={names.join(", ")}>
          {names.length === 1
            ? t("Only agent {name}", { name: names[0]! })
            : t("Only {count} agents", { count: names.length })}
        </span>
      )}
      {addresses !== undefined && (
        <span class="cell-note" title={addresses.join(", ")}>
          {addresses.length === 1
            ? t("Only from {network}", { network: addresses[0]! })
            : t("Only from {count} networks", { count: addresses.length })}
        </span>
      )}
    </>
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
  if (title !== undefined) return <span title={scopes.join(", ")}>{t(title)}</span>;
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
          href={`/api-keys/${id}/restrict`}
          aria-current="false"
          aria-label={t("Restrict {name}", { name })}
        >
          {t("Restrict")}
        </a>
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
