import type { Context } from "./context.ts";
import type { Method } from "./router.ts";

interface PageInit {
  headers?: HeadersInit;
  status?: number;
}

/** A handler's answer that is to be rendered by the page component of its route. */
export interface PageResponse<T> extends PageInit {
  data: T;
}

/** Answers one request: with a `Response`, or with data for the page component. */
export interface HandlerFn<Data, State> {
  (ctx: Context<State>): Response | PageResponse<Data> | Promise<Response | PageResponse<Data>>;
}

/** One handler per verb. */
export type HandlerByMethod<Data, State> = { [M in Method]?: HandlerFn<Data, State> };

/** One handler for all verbs, or one per verb. */
export type RouteHandler<Data, State> = HandlerFn<Data, State> | HandlerByMethod<Data, State>;

/** The data type that a handler gives its page. */
export type RouteData<Handler extends RouteHandler<unknown, unknown>> = Handler extends
  RouteHandler<infer Data, unknown> ? Data : never;

/** Data for the page component, with the status and headers of its answer. */
export function page<T>(data: T, options?: PageInit): PageResponse<T>;
export function page(): PageResponse<undefined>;
export function page<T>(data?: T, options: PageInit = {}): PageResponse<T> {
  return { data: data as T, ...options };
}

export function isHandlerByMethod<Data, State>(
  handler: unknown,
): handler is HandlerByMethod<Data, State> {
  return typeof handler === "object" && handler !== null && !Array.isArray(handler);
}
