import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Member, MemberRejectionReason } from "../services/team_service.ts";
import { signedIn } from "./authorization.ts";
import type { ApiKey } from "../store/credentials/api_key_store.ts";

/** The member named by the route's `id`, if they belong to the signed-in user's tenant. */
export function findMember(ctx: Context<State>): Promise<Member | undefined> {
  return ctx.state.service.team.member(signedIn(ctx.state).tenant, ctx.params.id!);
}

/** Messages for rejected changes of a member. */
export const MEMBER_REJECTIONS: Readonly<Record<MemberRejectionReason, string>> = {
  not_found: "This person is no longer in the team.",
  last_owner: "The tenant needs an owner: make another member owner first.",
  operator: "This person is an operator, so only an operator may change their account.",
};

/** The key named by the route's `id`, if the signed-in user's tenant has it. */
export async function findApiKey(ctx: Context<State>): Promise<ApiKey | undefined> {
  const apiKeys = await ctx.state.service.apiKeys.list(signedIn(ctx.state).tenant);
  return apiKeys.find(({ id }) => id === ctx.params.id);
}
