import type { Sorting, SortKeys } from "@/lib/dashboard/sort_rows.ts";
import type { ToolSecretInfo } from "@/lib/schemas/tool_secret.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { Time } from "./Time.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export const SECRET_SORT_KEYS: SortKeys<ToolSecretInfo> = {
  name: ({ name }) => name,
  updated: ({ updatedAt }) => updatedAt,
};

export interface SecretTableProps {
  secrets: readonly ToolSecretInfo[];
  /** Names of the agents that secrets are limited to; deleted agents are missing. */
  agents: ReadonlyMap<string, string>;
  now: number;
  editor: boolean;
  url: URL;
  sorting: Sorting;
}

/** A tenant's secrets with their allowed domains, never their values. */
export function SecretTable({ secrets, agents, now, editor, url, sorting }: SecretTableProps) {
  if (secrets.length === 0) {
    return (
      <EmptyState
        icon="key"
        title={t("No secrets yet")}
        text={t("Store credentials for your tools here. They are never part of a prompt.")}
      />
    );
  }
  const columns: Column<ToolSecretInfo>[] = [
    { id: "name", heading: t("Name"), isSortable: true, cell: ({ name }) => <code>{name}</code> },
    {
      id: "domains",
      heading: t("Domains"),
      cell: ({ domains }) => (
        <span class="cell-tags">
          {domains.map((domain) => <code key={domain} class="tag">{domain}</code>)}
        </span>
      ),
    },
    {
      id: "agent",
      heading: t("Agent"),
      cell: ({ agentId }) =>
        agentId === undefined ? t("All agents") : agents.get(agentId) ?? t("Deleted agent"),
    },
    {
      id: "updated",
      heading: t("Updated"),
      isSortable: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} now={now} />,
    },
    ...editor ? [ACTIONS] : [],
  ];
  return (
    <DataTable
      caption={t("Secrets")}
      columns={columns}
      rows={secrets}
      rowKey={({ name }) => name}
      url={url}
      sorting={sorting}
    />
  );
}

const ACTIONS: Column<ToolSecretInfo> = {
  id: "actions",
  heading: msg("Actions"),
  isHeadingHidden: true,
  cell: ({ name }) => (
    <>
      <a
        class="button button-small"
        href={`/settings/secrets/new?name=${name}`}
        aria-label={t("Replace {name}", { name })}
        aria-current="false"
      >
        {t("Replace")}
      </a>
      <a
        class="button button-small"
        href={`/settings/secrets/${name}/delete`}
        aria-label={t("Delete {name}", { name })}
        aria-current="false"
      >
        {t("Delete")}
      </a>
    </>
  ),
};
