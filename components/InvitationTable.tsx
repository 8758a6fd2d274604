import { ROLE_NAMES } from "@/lib/dashboard/role_names.ts";
import type { Invitation } from "@/lib/store/users/account_link_store.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { Time } from "./Time.tsx";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";

/** The invitations that nobody has accepted yet. */
export function InvitationTable(
  { invitations, owner, now, url }: {
    invitations: readonly Invitation[];
    owner: boolean;
    now: number;
    url: URL;
  },
) {
  const columns: Column<Invitation>[] = [
    {
      id: "email",
      heading: "Email",
      cell: ({ email }) => (
        <span class="cell-name">
          <span>{email}</span>
        </span>
      ),
    },
    { id: "role", heading: t("Role"), cell: ({ role }) => t(ROLE_NAMES[role]) },
    {
      id: "expires",
      heading: t("Expires"),
      cell: ({ exp }) => <Time at={new Date(exp).toISOString()} now={now} />,
    },
    ...owner ? [ACTIONS] : [],
  ];
  return (
    <DataTable
      caption={t("Invitations")}
      columns={columns}
      rows={invitations}
      rowKey={({ id }) => id}
      url={url}
    />
  );
}

const ACTIONS: Column<Invitation> = {
  id: "actions",
  heading: msg("Actions"),
  isHeadingHidden: true,
  cell: ({ id, email }) => (
    <a
      class="button button-small"
      href={`/team/invitations/${id}/withdraw`}
      aria-label={t("Revoke the invitation for {email}", { email })}
      aria-current="false"
    >
      {t("Revoke")}
    </a>
  ),
};
