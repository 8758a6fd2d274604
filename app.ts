import { App, staticFiles } from "fresh";
import { apiMiddleware } from "./lib/http/api_middleware.ts";
import { clientAddress } from "./lib/http/client_address.ts";
import { isRoutableMethod, methodRefusal, withDecodablePath } from "./lib/http/routable.ts";
import type { Service } from "./lib/service.ts";
import { define, type State } from "./utils.ts";

/** For pages without scripts. */
const PLAIN_PAGE_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/**
 * The App over a service that may not be open yet: the first request waits for it. Building the App
 * does no I/O.
 */
export function createApp(service: () => Promise<Service>): App<State> {
  const withState = define.middleware(async (ctx) => {
    const open = await service();
    ctx.state.service = open;
    ctx.state.requestId = open.system.uuid();
    const hops = open.config.trustedProxyHops;
    ctx.state.clientAddress = clientAddress(ctx.req, ctx.info.remoteAddr, hops);
    return guard(await ctx.next());
  });
  return new ServiceApp(service)
    .use(staticFiles())
    .use(withState)
    .use(apiMiddleware)
    .fsRoutes();
}

/** Keeps from Fresh's router what it throws on, as no middleware can: it throws before any of them. */
class ServiceApp extends App<State> {
  readonly #service: () => Promise<Service>;

  constructor(service: () => Promise<Service>) {
    super();
    this.#service = service;
  }

  override handler(): ReturnType<App<State>["handler"]> {
    const route = super.handler();
    return async (request, info) => {
      if (isRoutableMethod(request.method)) return await route(withDecodablePath(request), info);
      const { system } = await this.#service();
      return methodRefusal(request, system.uuid());
    };
  }
}

/** What every answer carries; a page that sets no policy of its own (an error page) gets this one. */
function guard(response: Response): Response {
  const { headers } = response;
  headers.set("x-content-type-options", "nosniff");
  const html = headers.get("content-type")?.startsWith("text/html") === true;
  if (html && !headers.has("content-security-policy")) {
    headers.set("content-security-policy", PLAIN_PAGE_POLICY);
    headers.set("referrer-policy", "same-origin");
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  }
  return response;
}
