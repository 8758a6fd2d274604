import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../errors.ts";
import { conversationHref } from "./conversation_search_query.ts";
import { signedIn } from "./signed_in.ts";
import { uuidParam } from "../uuid_param.ts";

/** Where the conversation is that has this id, or a run that has it; `undefined` when none has. */
export async function findConversationHref(
  ctx: Context<State>,
  text: string,
): Promise<string | undefined> {
  const { conversations } = ctx.state.service;
  const { tenant } = signedIn(ctx.state);
  try {
    const id = uuidParam(text);
    const run = await conversations.findByRun(tenant, id);
    const filter = run === undefined ? {} : { agentId: run.agentId };
    const page = { limit: 1 };
    return conversationHref(await conversations.get(tenant, run?.id ?? id, { filter, page }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
