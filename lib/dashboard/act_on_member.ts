import { type Context, HttpError, page } from "fresh";
import type { State } from "@/utils.ts";
import type {
  Member,
  MemberRejectionReason,
  TeamManager,
  TeamService,
} from "../services/team_service.ts";
import { signedIn } from "./authorization.ts";
import { findMember, MEMBER_REJECTIONS } from "./find_member.ts";
import { withFlashMessage } from "./flash_messages.ts";
import { readForm } from "./read_form.ts";
import { needsReauthentication, reauthenticate } from "./sign_in/reauthenticate.ts";

/** The page that asks before something is done to a member. */
export interface MemberActionData {
  member: Member;
  password: { asked: boolean; issue?: string };
  issue?: string;
}

type Outcome = { user: unknown } | { rejected: MemberRejectionReason };

/** The handlers of a page that confirms an action on a member; `notice` is shown on the team's page then. */
export function actOnMember(
  act: (team: TeamService, by: TeamManager, id: string) => Promise<Outcome>,
  notice: Parameters<typeof withFlashMessage>[1],
) {
  return {
    async GET(ctx: Context<State>) {
      const member = await requireMember(ctx);
      const password = { asked: needsReauthentication(ctx.state) };
      return page<MemberActionData>({ member, password });
    },

    async POST(ctx: Context<State>) {
      const member = await requireMember(ctx);
      const { service } = ctx.state;
      const rejected = await reauthenticate(ctx, await readForm(ctx.req, service.runtime));
      if (rejected !== undefined) {
        const password = { asked: true, issue: rejected.message };
        return page<MemberActionData>({ member, password }, rejected);
      }
      const done = await act(service.team, signedIn(ctx.state), member.id);
      if ("user" in done) return ctx.redirect(withFlashMessage("/team", notice), 303);
      const issue = MEMBER_REJECTIONS[done.rejected];
      return page<MemberActionData>({ member, password: { asked: false }, issue }, { status: 409 });
    },
  };
}

async function requireMember(ctx: Context<State>): Promise<Member> {
  const member = await findMember(ctx);
  if (member === undefined) throw new HttpError(404);
  return member;
}
