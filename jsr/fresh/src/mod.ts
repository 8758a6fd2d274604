/**
 * The server side: apps, routes and the middlewares that come with them.
 * @module
 */
export { App, type ListenOptions } from "./app.ts";
export type { Island } from "./build_cache.ts";
export type { FreshConfig, ResolvedFreshConfig } from "./config.ts";
export type {
  Context,
  FreshContext,
  WebSocketHandlers,
  WebSocketUpgradeOptions,
} from "./context.ts";
export { createDefine, type Define } from "./define.ts";
export {
  type HandlerByMethod,
  type HandlerFn,
  page,
  type PageResponse,
  type RouteData,
  type RouteHandler,
} from "./handlers.ts";
export { HttpError } from "./http_error.ts";
export { cors, type CORSOptions } from "./middlewares/cors.ts";
export { csp, type CSPOptions } from "./middlewares/csp.ts";
export { csrf, type CsrfOptions } from "./middlewares/csrf.ts";
export { ipFilter, type IpFilterOptions, type IpFilterRules } from "./middlewares/ip_filter.ts";
export type { Middleware, MiddlewareFn } from "./middlewares/mod.ts";
export { staticFiles } from "./middlewares/static_files.ts";
export { trailingSlashes } from "./middlewares/trailing_slashes.ts";
export type { Method } from "./router.ts";
export type { LayoutConfig, Lazy, MaybeLazy, PageProps, RouteConfig } from "./types.ts";
