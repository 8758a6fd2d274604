import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../../errors.ts";
import type { Transcript } from "../../wire/conversation.ts";
import { conversationFilterParams } from "../conversation_query.ts";
import { pageRequestParams } from "./page_request.ts";
import { signedIn } from "./signed_in.ts";
import { uuidParam } from "../uuid_param.ts";

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
