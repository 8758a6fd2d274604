import { ROLE_NAMES } from "@/lib/dashboard/role_names.ts";
import type { Invitation } from "@/lib/store/users/account_link_store.ts";
import { type Column, DataTable } from "./DataTable.tsx";
import { Time } from "./Time.tsx";

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
    { id: "email", heading: "E-mail", cell: ({ email }) => email },
    { id: "role", heading: "Role", cell: ({ role }) => ROLE_NAMES[role] },
    {
      id: "expires",
      heading: "Expires",
      cell: ({ exp }) => <Time at={new Date(exp).toISOString()} now={now} />,
    },
    ...owner ? [ACTIONS] : [],
  ];
  return (
    <DataTable
      caption="Invitations"
      columns={columns}
      rows={invitations}
      rowKey={({ id }) => id}
      url={url}
    />
  );
}

const ACTIONS: Column<Invitation> = {
  id: "actions",
  heading: "Actions",
  isHeadingHidden: true,
  cell: ({ id, email }) => (
    <a
      class="button button-small"
      href={`/team/invitations/${id}/withdraw`}
      aria-label={`Revoke the invitation of ${email}`}
      aria-current="false"
    >
      Revoke
    </a>
  ),
};
