import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../schemas/api_error.ts";
import { conversationHref } from "./conversation_filters.ts";
import { signedIn } from "./authorization.ts";
import {
  conversationFilterParams,
  pageRequestParams,
  undefinedIfNotFound,
  uuidParam,
} from "../http/request_params.ts";
import type { Transcript } from "../schemas/conversation.ts";

export async function findConversationHref(
  ctx: Context<State>,
  text: string,
): Promise<string | undefined> {
  const { conversations } = ctx.state.service;
  const { tenant } = signedIn(ctx.state);
  return await undefinedIfNotFound(async () => {
    const id = uuidParam(text);
    const run = await conversations.findByRun(tenant, id);
    const options = {
      filter: run === undefined ? {} : { agentId: run.agentId },
      page: { limit: 1 },
    };
    return conversationHref(await conversations.get(tenant, run?.id ?? id, options));
  });
}

/** The conversation named by the URL, with a page of its runs; `undefined` also for an invalid URL. */
export async function readTranscript(ctx: Context<State>): Promise<Transcript | undefined> {
  const { tenant } = signedIn(ctx.state);
  try {
    return await ctx.state.service.conversations.get(tenant, uuidParam(ctx.params.id), {
      filter: conversationFilterParams(ctx.url),
      page: pageRequestParams(ctx.url),
    });
  } catch (error) {
    if (error instanceof ApiError && [400, 404].includes(error.status)) return undefined;
    throw error;
  }
}
