import { page } from "fresh";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { Time } from "@/components/Time.tsx";
import type { Member } from "@/lib/services/team_service.ts";
import { paginate } from "@/lib/dashboard/paginate.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { isOwner, signedIn } from "@/lib/dashboard/authorization.ts";
import type { Invitation } from "@/lib/store/users/account_link_store.ts";
import { isoTime } from "@/lib/platform/runtime.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { team, runtime } = ctx.state.service;
    const user = signedIn(ctx.state);
    const [members, invitations] = await Promise.all([
      team.members(user.tenant),
      team.invitations(user.tenant),
    ]);
    const part = paginate(members, ctx.url);
    return page({ part, invitations, me: user.id, owner: isOwner(user), now: runtime.now() });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { part: { items: members, ...links }, invitations, owner, now } = data;
  return (
    <>
      <PageHeader
        title="Team"
        text="Owners manage the team, admins manage everything else, viewers have read-only access."
      >
        {owner && <a class="button button-primary" href="/team/invite">Invite member</a>}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <div class="sections">
        <ul class="rows">
          {members.map((member) => <MemberRow key={member.id} member={member} {...data} />)}
        </ul>
        <Pagination {...links} />
        {invitations.length > 0 && (
          <section aria-labelledby="invitations">
            <h2 id="invitations" class="section-head">Invitations</h2>
            <ul class="rows">
              {invitations.map((one) => (
                <InvitationRow key={one.id} invitation={one} owner={owner} now={now} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  );
});

function MemberRow(
  { member, me, owner, now }: { member: Member; me: string; owner: boolean; now: number },
) {
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-name">
          {member.email}
          {member.id === me && <span class="badge">you</span>}
          {member.operator && <span class="badge badge-active">operator</span>}
        </p>
      </div>
      <dl class="facts">
        <div>
          <dt>Role</dt>
          <dd>{member.role}</dd>
        </div>
        <div>
          <dt>Joined</dt>
          <dd>
            <Time at={isoTime(member.createdAt)} now={now} />
          </dd>
        </div>
      </dl>
      {owner && (
        <div class="row-end">
          <a
            class="button button-small"
            href={`/team/${member.id}`}
            aria-label={`Manage ${member.email}`}
            aria-current="false"
          >
            Manage
          </a>
        </div>
      )}
    </li>
  );
}

function InvitationRow(
  { invitation, owner, now }: { invitation: Invitation; owner: boolean; now: number },
) {
  return (
    <li class="row">
      <div class="row-main">
        <p class="row-name">{invitation.email}</p>
      </div>
      <dl class="facts">
        <div>
          <dt>Role</dt>
          <dd>{invitation.role}</dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>
            <Time at={isoTime(invitation.exp)} now={now} />
          </dd>
        </div>
      </dl>
      {owner && (
        <div class="row-end">
          <a
            class="button button-small"
            href={`/team/invitations/${invitation.id}/withdraw`}
            aria-label={`Revoke the invitation of ${invitation.email}`}
            aria-current="false"
          >
            Revoke
          </a>
        </div>
      )}
    </li>
  );
}
