import { App, type Context, staticFiles } from "fresh";
import { runAs } from "./lib/store/audit/actor.ts";
import { withStoreDeadline } from "./lib/store/tx/store_deadline.ts";
import { apiMiddleware } from "./lib/http/api_middleware.ts";
import { conditionalResponse } from "./lib/http/entity_tag.ts";
import { asGet, headResponse } from "./lib/http/head_response.ts";
import { allowHeader, rejectUnsupportedMethod } from "./lib/http/page_methods.ts";
import { clientAddress } from "./lib/http/client_address.ts";
import { measureRequest } from "./lib/http/measure_request.ts";
import { unavailableResponse } from "./lib/http/error_response.ts";
import { RateLimiter } from "./lib/http/rate_limiter.ts";
import { setSender } from "./lib/http/bodies/request_sender.ts";
import { isApiPath, isStaticFilePath, normalizeRequest } from "./lib/http/normalize_request.ts";
import { withSecurityHeaders } from "./lib/http/security_headers.ts";
import { readLanguage, withLanguage } from "./lib/dashboard/texts/request_language.ts";
import type { PendingResponses } from "./lib/server/process/pending_responses.ts";
import type { Service } from "./lib/http/service.ts";
import { define, type State } from "./utils.ts";

/**
 * Creates the App without any I/O. `service` opens the service for the first request, which waits for
 * it. `requests` tracks the responses being sent, if the host owns the server.
 */
export function createApp(
  service: (request: Request) => Promise<Service>,
  { requests }: { requests?: PendingResponses | undefined } = {},
): App<State> {
  // Set when the service opens, before any response.
  const address = { https: false };
  const withState = define.middleware(async (ctx) => {
    const open = await service(ctx.req).catch(() => undefined);
    if (open === undefined) return unavailableResponse(ctx.url);
    address.https = open.baseUrl.startsWith("https:");
    ctx.state.service = open;
    ctx.state.requestId = open.runtime.uuid();
    open.forwardedForCheck.check(ctx.req);
    const hops = open.config.trustedProxyHops;
    ctx.state.clientAddress = clientAddress(ctx.req, ctx.info.remoteAddr, hops);
    setSender(ctx.req, { address: ctx.state.clientAddress });
    ctx.state.rateLimiter = new RateLimiter(open.rateLimiterDeps, ctx.state.clientAddress);
    // Every request sets its own scope: a kept-alive connection would inherit the previous one.
    const deadline = { runtime: open.runtime, ms: open.storeDeadlineMs };
    return await withStoreDeadline(
      deadline,
      () => runAs({ kind: "service" }, () => measureRequest(ctx, () => withBodyLimit(ctx))),
    );
  });
  const files = staticFiles<State>();
  return new ServiceApp(address, requests)
    .use(conditionalResponse)
    .use(async (ctx) =>
      isStaticFilePath(ctx.url.pathname) ? withAllow(await files(ctx)) : ctx.next()
    )
    .use(withState)
    .use(apiMiddleware)
    .use(rejectUnsupportedMethod)
    .fsRoutes();
}

/** Adds the `Allow` header that Fresh omits when it rejects a method for a file. */
function withAllow(response: Response): Response {
  const { status, headers } = response;
  if (status === 405 && !headers.has("allow")) headers.set("allow", allowHeader(["GET"]));
  return response;
}

/** Limits how many forms one address may send concurrently, as `/v1` does for every request. */
async function withBodyLimit(ctx: Context<State>): Promise<Response> {
  if (ctx.req.body === null || isApiPath(ctx.url.pathname)) return await ctx.next();
  const { rateLimiter } = ctx.state;
  try {
    await rateLimiter.enterUncounted();
    return await ctx.next();
  } finally {
    rateLimiter.finish();
  }
}

/**
 * Handles what middlewares cannot: requests on which Fresh's router throws before any middleware, and
 * headers of responses that bypass them, such as error pages.
 */
class ServiceApp extends App<State> {
  readonly #address: { https: boolean };
  readonly #requests: PendingResponses | undefined;

  /** `address` may change until the first response. */
  constructor(address: { https: boolean }, requests: PendingResponses | undefined) {
    super();
    this.#address = address;
    this.#requests = requests;
  }

  override handler(): ReturnType<App<State>["handler"]> {
    const route = super.handler();
    return async (request, info) => {
      if (this.#requests !== undefined && info !== undefined) this.#requests.add(info.completed);
      const respond = async (routable: Request) => {
        // Fresh would omit the body's length together with the body. /v1 handles HEAD itself.
        if (routable.method !== "HEAD" || isApiPath(new URL(routable.url).pathname)) {
          return await route(routable, info);
        }
        return await headResponse(await route(asGet(routable), info));
      };
      const routable = normalizeRequest(request);
      const response = routable instanceof Response
        ? routable
        // Around error pages too, which middleware does not see.
        : await withLanguage(readLanguage(routable.headers), () => respond(routable));
      return withSecurityHeaders(response, this.#address);
    };
  }
}
