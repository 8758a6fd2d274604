import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { conversationFilterParams, isUuid } from "../../http/request_params.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { ConversationPlace } from "../../services/handoff_service.ts";
import type { HandoffHead, NumberedEntry } from "../../store/handoffs/handoff_record.ts";
import { signedIn } from "../authorization.ts";

/** The hand-off of a conversation with the latest part of its feed. */
export interface ShownHandoff {
  head: HandoffHead;
  entries: NumberedEntry[];
}

/** The conversation that the URL names; `undefined` if there is none, also for an invalid URL. */
export async function locateConversation(
  ctx: Context<State>,
): Promise<ConversationPlace | undefined> {
  const id = (ctx.params.id ?? "").toLowerCase();
  if (!isUuid(id)) return undefined;
  try {
    const { tenant } = signedIn(ctx.state);
    const filter = conversationFilterParams(ctx.url);
    return await ctx.state.service.handoffs.locate(tenant, id, filter);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

/** Its hand-off; `undefined` if nobody has asked for a person. */
export async function readHandoff(ctx: Context<State>): Promise<ShownHandoff | undefined> {
  const place = await locateConversation(ctx);
  return place && await ctx.state.service.handoffs.read(place.name);
}
