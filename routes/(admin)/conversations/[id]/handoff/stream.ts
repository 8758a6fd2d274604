import { locateConversation } from "@/lib/dashboard/handoff/read_handoff.ts";
import { personFeedEncoder } from "@/lib/dashboard/handoff/person_feed_encoder.ts";
import { keepsAccess } from "@/lib/dashboard/sign_in/keeps_access.ts";
import { jsonHandler } from "@/lib/dashboard/json_handler.ts";
import { readSignInCookie } from "@/lib/dashboard/sign_in/sign_in_cookie.ts";
import { feedResponse } from "@/lib/http/feed_response.ts";
import { streamPosition } from "@/lib/http/request_params.ts";
import { ApiError } from "@/lib/schemas/api_error.ts";
import { define } from "@/utils.ts";

/** The feed of a hand-off for the person's page, with the visitor's messages and typing. */
export const handler = define.handlers({
  GET: jsonHandler(async (ctx) => {
    const { handoffs, signIn, config, runtime, closing } = ctx.state.service;
    const cookie = readSignInCookie(ctx.req.headers, config) ?? "";
    const place = await locateConversation(ctx);
    if (place === undefined) throw new ApiError("not_found", "there is no such conversation");
    const after = streamPosition(ctx.req, place.name.id);
    const ended = new AbortController();
    const follower = await handoffs.follow(place.name, {
      ...{ after, typing: "visitor", signal: ended.signal },
      watched: await signIn.watchedKeys(cookie),
      isAllowed: keepsAccess(ctx),
    });
    if (follower === undefined) return new Response(null, { status: 204 });
    return feedResponse(follower, { runtime, closing, ended, encoder: personFeedEncoder() });
  }),
});
