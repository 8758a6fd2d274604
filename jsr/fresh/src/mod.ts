/**
 * The server side: apps, routes and the middlewares that come with them.
 * @module
 */
export { App, type ListenOptions } from "./app.ts";
export type { Island } from "./build_cache.ts";
export type { FreshConfig, ResolvedFreshConfig } from "./config.ts";
export type { Context, FreshContext } from "./context.ts";
export { createDefine, type Define } from "./define.ts";
export { type HandlerByMethod, type HandlerFn, page, type PageResponse } from "./handlers.ts";
export type { RouteData, RouteHandler } from "./handlers.ts";
export { HttpError } from "./http_error.ts";
export { csp, type CSPOptions } from "./middlewares/csp.ts";
export { csrf, type CsrfOptions } from "./middlewares/csrf.ts";
export { cors, ipFilter, trailingSlashes } from "./middlewares/unsupported.ts";
export type { Middleware, MiddlewareFn } from "./middleware.ts";
export { staticFiles } from "./middlewares/static_files.ts";
export type { Method } from "./router.ts";
export type { LayoutConfig, PageProps, RouteConfig } from "./types.ts";
