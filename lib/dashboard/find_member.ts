import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Member, MemberRejectionReason } from "../services/team_service.ts";
import { signedIn } from "./permissions.ts";
import type { ApiKey } from "../store/credentials/api_key_store.ts";

/** The member named by the route's `id`, if they are in the signed-in user's tenant. */
export function findMember(ctx: Context<State>): Promise<Member | undefined> {
  return ctx.state.service.team.member(signedIn(ctx.state).tenant, ctx.params.id!);
}

/** Why a member was not changed, in words for the page that tried. */
export const MEMBER_REJECTIONS: Readonly<Record<MemberRejectionReason, string>> = {
  not_found: "They are not in the team any more.",
  last_owner: "Somebody has to own the tenant: make another member owner first.",
  operator: "They operate the installation, so only an operator may change their account.",
};

/** The key named by the route's `id`, if the signed-in user's tenant has it. */
export async function findApiKey(ctx: Context<State>): Promise<ApiKey | undefined> {
  const apiKeys = await ctx.state.service.apiKeys.list(signedIn(ctx.state).tenant);
  return apiKeys.find((one) => one.id === ctx.params.id);
}
