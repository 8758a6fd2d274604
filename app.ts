import { App, staticFiles } from "fresh";
import { apiMiddleware } from "./lib/http/api_middleware.ts";
import { clientAddress } from "./lib/http/client_address.ts";
import type { Service } from "./lib/service.ts";
import { define, type State } from "./utils.ts";

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
    return await ctx.next();
  });
  return new App<State>()
    .use(staticFiles())
    .use(withState)
    .use(apiMiddleware)
    .fsRoutes();
}
