import { apiHandler } from "@/lib/http/api_handler.ts";
import { findAccessibleConversation } from "@/lib/http/conversation_access.ts";
import { visitorFeedEncoder } from "@/lib/http/encoders/visitor_feed_encoder.ts";
import { feedResponse } from "@/lib/http/feed_response.ts";
import { streamPosition, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    const { service, rateLimiter } = ctx.state;
    await rateLimiter.countResume();
    const id = uuidParam(ctx.params.id);
    const access = await findAccessibleConversation(ctx.req, ctx.state, { id, counted: false });
    const { place, until, watched, isAllowed } = access;
    const after = streamPosition(ctx.req, id);
    const ended = new AbortController();
    const { signal } = ended;
    const options = { after, watched, isAllowed, signal, typing: "person" as const };
    const follower = await service.handoffs.follow(place.name, options);
    if (follower === undefined) return new Response(null, { status: 204 });
    const { runtime, closing } = service;
    const onEnd = await rateLimiter.enterFeed();
    const encoder = visitorFeedEncoder(id);
    return feedResponse(follower, { runtime, closing, encoder, ended, until, onEnd });
  },
}));
