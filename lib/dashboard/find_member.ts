import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { Member, MemberRejectionReason } from "../services/team_service.ts";
import { isUuid } from "../http/request_params.ts";
import { signedIn } from "./authorization.ts";
import type { ApiKey } from "../store/credentials/api_key_store.ts";
import { msg } from "./texts/translate.ts";

export function findMember(ctx: Context<State>): Promise<Member | undefined> {
  return ctx.state.service.team.member(signedIn(ctx.state).tenant, ctx.params.id!);
}

export const MEMBER_REJECTIONS: Readonly<Record<MemberRejectionReason, string>> = {
  not_found: msg("This person is no longer on the team."),
  last_owner: msg("The tenant needs an owner: make another member owner first."),
  last_operator: msg(
    "The installation needs an operator: make another user an operator first.",
  ),
  operator: msg("This person is an operator, so only an operator may change their account."),
  account_elsewhere: msg("This account belongs to another tenant, so it can't be reset here."),
  account_shared: msg(
    "This person also belongs to another tenant, so only an operator can reset their password and second factors.",
  ),
};

export async function findApiKey(ctx: Context<State>): Promise<ApiKey | undefined> {
  const id = ctx.params.id!;
  if (!isUuid(id)) return undefined;
  return await ctx.state.service.apiKeys.get(signedIn(ctx.state).tenant, id);
}
