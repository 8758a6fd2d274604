import { apiHandler } from "@/lib/http/api_handler.ts";
import { findAccessibleConversation } from "@/lib/http/conversation_access.ts";
import { visitorFeedEncoder } from "@/lib/http/encoders/visitor_feed_encoder.ts";
import { requestedWait } from "@/lib/http/encoders/requested_protocol.ts";
import { pollFeed } from "@/lib/http/feed_poll_response.ts";
import { feedResponse } from "@/lib/http/feed_response.ts";
import { streamPosition, uuidParam } from "@/lib/http/request_params.ts";
import { define } from "@/utils.ts";

export const handler = define.handlers(apiHandler({
  async GET(ctx) {
    // Read at once: Deno reports only what happens from then on.
    const gone = ctx.req.signal;
    const { service, rateLimiter } = ctx.state;
    await rateLimiter.countResume();
    const id = uuidParam(ctx.params.id);
    const access = await findAccessibleConversation(ctx.req, ctx.state, { id, counted: false });
    const { place, until, watched, isAllowed } = access;
    const after = streamPosition(ctx.req, id);
    const wait = requestedWait(ctx.req);
    const ended = new AbortController();
    const { signal } = ended;
    const options = { after, watched, isAllowed, signal, typing: "person" as const };
    const follower = await service.handoffs.follow(place.name, options);
    if (follower === undefined) return new Response(null, { status: 204 });
    const { runtime, closing } = service;
    const onEnd = await rateLimiter.enterFeed();
    const encoder = visitorFeedEncoder(id);
    if (wait !== undefined) {
      const options = { runtime, encoder, ended, until, signals: [closing, gone] };
      return await pollFeed(follower, { ...options, waitMs: wait * 1_000 }).finally(onEnd);
    }
    return feedResponse(follower, { runtime, closing, encoder, ended, until, onEnd });
  },
}));
