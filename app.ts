import { App, type Context, staticFiles } from "fresh";
import { actingAs } from "./lib/audit/acting.ts";
import { apiMiddleware } from "./lib/http/api_middleware.ts";
import { conditionalResponse } from "./lib/http/conditional_response.ts";
import { asGet, headResponse } from "./lib/http/head_response.ts";
import { allowOfPage, pageMethods } from "./lib/http/page_methods.ts";
import { clientAddress } from "./lib/http/client_address.ts";
import { unavailableResponse } from "./lib/http/unavailable_response.ts";
import { RequestMeter } from "./lib/http/request_meter.ts";
import { setSender } from "./lib/http/request_sender.ts";
import { isApiPath, isFilePath, toRoutable } from "./lib/http/routable.ts";
import type { Service } from "./lib/service.ts";
import { define, type State } from "./utils.ts";

/**
 * The App over a service that may not be open yet: the first request waits for it. Building the App
 * does no I/O.
 */
export function createApp(service: () => Promise<Service>): App<State> {
  const withState = define.middleware(async (ctx) => {
    const open = await service().catch(() => undefined);
    if (open === undefined) return unavailableResponse(ctx.url);
    ctx.state.service = open;
    ctx.state.requestId = open.system.uuid();
    open.forwardedFor.check(ctx.req);
    const hops = open.config.trustedProxyHops;
    ctx.state.clientAddress = clientAddress(ctx.req, ctx.info.remoteAddr, hops);
    setSender(ctx.req, { address: ctx.state.clientAddress });
    ctx.state.meter = new RequestMeter(open.meterParts, ctx.state.clientAddress);
    // Each request in a scope of its own, whoever it turns out to be: a connection that is kept open
    // would hand the one before's on.
    const response = await actingAs({ kind: "service" }, () => withBodyLimit(ctx));
    response.headers.set("x-content-type-options", "nosniff");
    return response;
  });
  const files = staticFiles<State>();
  return new ServiceApp()
    .use(conditionalResponse)
    .use(async (ctx) => isFilePath(ctx.url.pathname) ? withAllow(await files(ctx)) : ctx.next())
    .use(withState)
    .use(apiMiddleware)
    .use(pageMethods)
    .fsRoutes();
}

/** Fresh refuses other methods for a file, and does not say which ones it takes. */
function withAllow(response: Response): Response {
  const { status, headers } = response;
  if (status === 405 && !headers.has("allow")) headers.set("allow", allowOfPage(["GET"]));
  return response;
}

/** Bounds how many forms one address may be sending at once, as is done under /v1 for every request. */
async function withBodyLimit(ctx: Context<State>): Promise<Response> {
  if (ctx.req.body === null || isApiPath(ctx.url.pathname)) return await ctx.next();
  const { meter } = ctx.state;
  try {
    await meter.enter();
    return await ctx.next();
  } finally {
    meter.end();
  }
}

/** Keeps from Fresh's router what it throws on, as no middleware can: it throws before any of them. */
class ServiceApp extends App<State> {
  override handler(): ReturnType<App<State>["handler"]> {
    const route = super.handler();
    return async (request, info) => {
      const routable = toRoutable(request);
      if (routable instanceof Response) return routable;
      // Fresh would leave the body's length out with the body. /v1 answers HEAD by itself.
      if (routable.method !== "HEAD" || isApiPath(new URL(routable.url).pathname)) {
        return await route(routable, info);
      }
      return await headResponse(await route(asGet(routable), info));
    };
  }
}
