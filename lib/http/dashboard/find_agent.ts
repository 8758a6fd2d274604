import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../errors.ts";
import type { Agent } from "../../wire/agent.ts";
import { signedIn } from "./signed_in.ts";
import { uuidParam } from "../uuid_param.ts";

/** The agent named by the route's `id`, if the signed-in user's tenant has it. */
export async function findAgent(ctx: Context<State>): Promise<Agent | undefined> {
  try {
    const { tenant } = signedIn(ctx.state);
    return await ctx.state.service.agents.get(tenant, uuidParam(ctx.params.id));
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return undefined;
    throw error;
  }
}
