import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../schemas/api_error.ts";
import { conversationHref } from "./conversation_filters.ts";
import { signedIn } from "./permissions.ts";
import { conversationFilterParams, pageRequestParams, uuidParam } from "../http/request_params.ts";
import type { Transcript } from "../schemas/conversation.ts";

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

/** The conversation that the address names, with a page of its runs; `undefined` for what is none. */
export async function readTranscript(ctx: Context<State>): Promise<Transcript | undefined> {
  const { tenant } = signedIn(ctx.state);
  try {
    return await ctx.state.service.conversations.get(tenant, uuidParam(ctx.params.id), {
      filter: conversationFilterParams(ctx.url),
      page: pageRequestParams(ctx.url),
    });
  } catch (error) {
    // What cannot be asked for is not there either: a cut link is no fault of ours.
    if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
      return undefined;
    }
    throw error;
  }
}
