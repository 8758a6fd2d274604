import { page } from "fresh";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { Pagination } from "@/components/Pagination.tsx";
import { MEMBER_SORT_KEYS, MemberTable } from "@/components/MemberTable.tsx";
import { InvitationTable } from "@/components/InvitationTable.tsx";
import { paginateStored } from "@/lib/dashboard/paginate.ts";
import { flashMessageOf } from "@/lib/dashboard/flash_messages.ts";
import { isOwner, signedIn } from "@/lib/dashboard/authorization.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { team, runtime } = ctx.state.service;
    const user = signedIn(ctx.state);
    const [{ part, sorting }, invitations, withFactor] = await Promise.all([
      paginateStored({
        url: ctx.url,
        keys: MEMBER_SORT_KEYS,
        by: { by: "joined", isDescending: false },
        readPart: (part) => team.membersPart(user.tenant, part),
        readAll: () => team.members(user.tenant),
      }),
      team.invitations(user.tenant),
      // Who has none is of use to an attacker, and to owners.
      isOwner(user) ? team.membersWithFactor(user.tenant) : undefined,
    ]);
    return page({
      part,
      sorting,
      invitations,
      ...withFactor && { withFactor },
      me: user.id,
      owner: isOwner(user),
      now: runtime.now(),
    });
  },
});

export default define.page<typeof handler>(({ data, url }) => {
  const { part: { items: members, ...links }, invitations, owner, now } = data;
  return (
    <>
      <PageHeader
        title={t("Team")}
        text={t(
          "Owners manage the team, admins manage everything else, viewers have read-only access.",
        )}
      >
        {owner && <a class="button button-primary" href="/team/invite">{t("Invite member")}</a>}
      </PageHeader>
      <PageNotice notice={flashMessageOf(url)} />
      <div class="sections">
        <MemberTable {...data} members={members} url={url} />
        <Pagination {...links} />
        {invitations.length > 0 && (
          <section aria-labelledby="invitations">
            <h2 id="invitations" class="section-head">{t("Invitations")}</h2>
            <InvitationTable invitations={invitations} owner={owner} now={now} url={url} />
          </section>
        )}
      </div>
    </>
  );
});
