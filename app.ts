import { App, staticFiles } from "fresh";
import { actingAs } from "./lib/audit/acting.ts";
import { apiMiddleware } from "./lib/http/api_middleware.ts";
import { clientAddress } from "./lib/http/client_address.ts";
import { unavailableResponse } from "./lib/http/unavailable_response.ts";
import { RequestMeter } from "./lib/http/request_meter.ts";
import { isFilePath, toRoutable } from "./lib/http/routable.ts";
import { withSecurityHeaders } from "./lib/http/security_headers.ts";
import type { Service } from "./lib/service.ts";
import { define, type State } from "./utils.ts";

/**
 * The App over a service that may not be open yet: the first request waits for it. Building the App
 * does no I/O.
 */
export function createApp(service: () => Promise<Service>): App<State> {
  // Known once the service is open; until then no page is answered.
  const address = { https: false };
  const withState = define.middleware(async (ctx) => {
    const open = await service().catch(() => undefined);
    if (open === undefined) return unavailableResponse(ctx.url);
    address.https = open.baseUrl.startsWith("https:");
    ctx.state.service = open;
    ctx.state.requestId = open.system.uuid();
    const hops = open.config.trustedProxyHops;
    ctx.state.clientAddress = clientAddress(ctx.req, ctx.info.remoteAddr, hops);
    ctx.state.meter = new RequestMeter(open.meterParts, ctx.state.clientAddress);
    // Each request in a scope of its own, whoever it turns out to be: a connection that is kept open
    // would hand the one before's on.
    return await actingAs({ kind: "service" }, () => ctx.next());
  });
  const files = staticFiles<State>();
  return new ServiceApp(address)
    .use((ctx) => isFilePath(ctx.url.pathname) ? files(ctx) : ctx.next())
    .use(withState)
    .use(apiMiddleware)
    .fsRoutes();
}

/**
 * Does what no middleware can: keeps from Fresh's router what it throws on before any of them, and adds
 * headers to what passes by them, such as error pages.
 */
class ServiceApp extends App<State> {
  readonly #address: { https: boolean };

  /** `address` may change as long as nothing has been answered. */
  constructor(address: { https: boolean }) {
    super();
    this.#address = address;
  }

  override handler(): ReturnType<App<State>["handler"]> {
    const route = super.handler();
    return async (request, info) => {
      const routable = toRoutable(request);
      const response = routable instanceof Response ? routable : await route(routable, info);
      return withSecurityHeaders(response, this.#address);
    };
  }
}
