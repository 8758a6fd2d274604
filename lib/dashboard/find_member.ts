import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Member, MemberRejectionReason } from "../services/team_service.ts";
import { signedIn } from "./authorization.ts";
import type { ApiKey } from "../store/credentials/api_key_store.ts";
import { msg } from "./texts/translate.ts";

export function findMember(ctx: Context<State>): Promise<Member | undefined> {
  return ctx.state.service.team.member(signedIn(ctx.state).tenant, ctx.params.id!);
}

export const MEMBER_REJECTIONS: Readonly<Record<MemberRejectionReason, string>> = {
  not_found: msg("This person is no longer on the team."),
  last_owner: msg("The tenant needs an owner: make another member owner first."),
  operator: msg("This person is an operator, so only an operator may change their account."),
};

export async function findApiKey(ctx: Context<State>): Promise<ApiKey | undefined> {
  const apiKeys = await ctx.state.service.apiKeys.list(signedIn(ctx.state).tenant);
  return apiKeys.find(({ id }) => id === ctx.params.id);
}
