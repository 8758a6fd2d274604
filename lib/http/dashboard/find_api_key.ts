import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import type { ApiKey } from "../../storage/api_key_store.ts";
import { signedIn } from "./signed_in.ts";

/** The key named by the route's `id`, if the signed-in user's tenant has it. */
export async function findApiKey(ctx: Context<State>): Promise<ApiKey | undefined> {
  const apiKeys = await ctx.state.service.apiKeys.list(signedIn(ctx.state).tenant);
  return apiKeys.find((one) => one.id === ctx.params.id);
}
