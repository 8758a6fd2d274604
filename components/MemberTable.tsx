import type { Sorting, SortKeys } from "@/lib/dashboard/sort_rows.ts";
import type { Member } from "@/lib/services/team_service.ts";
import { ROLE_NAMES } from "@/lib/dashboard/role_names.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { Time } from "./Time.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

export const MEMBER_SORT_KEYS: SortKeys<Member> = {
  email: ({ email }) => email,
  role: ({ role }) => role,
  joined: ({ createdAt }) => createdAt,
};

export interface MemberTableProps {
  members: readonly Member[];
  /** Ids of those with a second factor; without it, the table does not say. */
  withFactor?: ReadonlySet<string>;
  /** Id of the reader. */
  me: string;
  owner: boolean;
  now: number;
  url: URL;
  sorting: Sorting;
}

/** The people of a tenant. */
export function MemberTable(
  { members, withFactor, me, owner, now, url, sorting }: MemberTableProps,
) {
  const columns: Column<Member>[] = [
    {
      id: "email",
      heading: "Email",
      isSortable: true,
      cell: ({ id, email, operator }) => (
        <span class="cell-name">
          <span>{email}</span>
          {id === me && <span class="badge">{t("You")}</span>}
          {operator && <span class="badge badge-active">{t("Operator")}</span>}
        </span>
      ),
    },
    { id: "role", heading: t("Role"), isSortable: true, cell: ({ role }) => t(ROLE_NAMES[role]) },
    ...withFactor === undefined ? [] : [factorColumn(withFactor)],
    {
      id: "joined",
      heading: t("Joined"),
      isSortable: true,
      cell: ({ createdAt }) => <Time at={new Date(createdAt).toISOString()} now={now} />,
    },
    ...owner ? [ACTIONS] : [],
  ];
  return (
    <DataTable
      caption={t("Members")}
      columns={columns}
      rows={members}
      rowKey={({ id }) => id}
      url={url}
      sorting={sorting}
    />
  );
}

function factorColumn(withFactor: ReadonlySet<string>): Column<Member> {
  return {
    id: "factor",
    heading: t("Second factor"),
    cell: ({ id }) => withFactor.has(id) ? t("On") : t("Off"),
  };
}

const ACTIONS: Column<Member> = {
  id: "actions",
  heading: msg("Actions"),
  isHeadingHidden: true,
  cell: ({ id, email }) => (
    <a
      class="button button-small"
      href={`/team/${id}`}
      aria-label={t("Manage {email}", { email })}
      aria-current="false"
    >
      {t("Manage")}
    </a>
  ),
};
