import type { Sorting, SortKeys } from "@/lib/dashboard/sort_rows.ts";
import type { ToolSecretInfo } from "@/lib/schemas/tool_secret.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { EmptyState } from "./EmptyState.tsx";
import { Time } from "./Time.tsx";

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
        title="No secrets yet"
        text="Store credentials for your tools here. They are never part of a prompt."
      />
    );
  }
  const columns: Column<ToolSecretInfo>[] = [
    { id: "name", heading: "Name", isSortable: true, cell: ({ name }) => <code>{name}</code> },
    {
      id: "domains",
      heading: "Domains",
      cell: ({ domains }) => (
        <span class="cell-tags">
          {domains.map((domain) => <code key={domain} class="tag">{domain}</code>)}
        </span>
      ),
    },
    {
      id: "agent",
      heading: "Agent",
      cell: ({ agentId }) =>
        agentId === undefined ? "All agents" : agents.get(agentId) ?? "Deleted agent",
    },
    {
      id: "updated",
      heading: "Updated",
      isSortable: true,
      cell: ({ updatedAt }) => <Time at={updatedAt} now={now} />,
    },
    ...editor ? [ACTIONS] : [],
  ];
  return (
    <DataTable
      caption="Secrets"
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
  heading: "Actions",
  isHeadingHidden: true,
  cell: ({ name }) => (
    <>
      <a
        class="button button-small"
        href={`/settings/secrets/new?name=${name}`}
        aria-label={`Replace ${name}`}
        aria-current="false"
      >
        Replace
      </a>
      <a
        class="button button-small"
        href={`/settings/secrets/${name}/delete`}
        aria-label={`Delete ${name}`}
        aria-current="false"
      >
        Delete
      </a>
    </>
  ),
};
