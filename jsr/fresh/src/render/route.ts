import { type ComponentType, h, type VNode } from "preact";
import { type Context, shellOf } from "../context.ts";
import { type HandlerFn, isHandlerByMethod, type PageResponse } from "../handlers.ts";
import { HttpError } from "../http_error.ts";
import type { Method } from "../router.ts";
import type { AsyncAnyComponent, PageProps, Route, RouteComponent } from "../types.ts";

/** A route in code or from a file, with a handler in any case. */
export function withHandler<State>(route: Route<State>): Route<State> {
  const { component, handler } = route;
  if (handler === undefined) {
    return {
      ...route,
      handler: component === undefined ? answerNotFound : answerEmptyPage,
    };
  }
  if (
    component === undefined || !isHandlerByMethod<unknown, State>(handler) ||
    handler.GET
  ) {
    return route;
  }
  return { ...route, handler: { ...handler, GET: answerEmptyPage } };
}

function answerEmptyPage(): PageResponse<unknown> {
  return { data: {} };
}

function answerNotFound(): never {
  throw new HttpError(404);
}

/** Runs the route's handler and, when it answers with data, its component. */
export async function renderRoute<State>(
  ctx: Context<State>,
  route: Route<State>,
  status = 200,
): Promise<Response> {
  const shell = shellOf(ctx);
  const outer = { ...shell };
  if (route.config?.skipAppWrapper) shell.app = null;
  if (route.config?.skipInheritedLayouts) shell.layouts = [];
  try {
    const handler = handlerFor(route, ctx.req.method.toUpperCase() as Method);
    const result = handler === undefined ? await ctx.next() : await handler(ctx);
    return result instanceof Response ? result : await renderPage(ctx, { route, result, status });
  } finally {
    Object.assign(shell, outer);
  }
}

function handlerFor<State>(
  { handler }: Route<State>,
  method: Method,
): HandlerFn<unknown, State> | undefined {
  if (!isHandlerByMethod<unknown, State>(handler)) return handler;
  return handler[method] ?? (method === "HEAD" ? handler.GET : undefined);
}

interface PageParts<State> {
  route: Route<State>;
  result: PageResponse<unknown>;
  status: number;
}

async function renderPage<State>(
  ctx: Context<State>,
  parts: PageParts<State>,
): Promise<Response> {
  const { route, result } = parts;
  const init = {
    status: result.status ?? parts.status,
    headers: new Headers(result.headers ?? {}),
  };
  if (route.component === undefined) return await ctx.render(null, init);
  const props = pageProps(ctx, { data: result.data, Component: () => null });
  const vnode = await renderComponent(route.component, props);
  return vnode instanceof Response ? vnode : await ctx.render(vnode, init);
}

/** An async component is awaited here: the rendering proper has to stay synchronous. */
export async function renderComponent<State>(
  component: RouteComponent<State>,
  props: PageProps<unknown, State>,
): Promise<VNode | Response | null> {
  if (component.constructor.name === "AsyncFunction") {
    return await (component as AsyncAnyComponent<PageProps<unknown, State>>)(
      props,
    );
  }
  return h(component as ComponentType<typeof props>, props) as VNode;
}

export function pageProps<State>(
  ctx: Context<State>,
  own: Pick<PageProps<unknown, State>, "data" | "Component">,
): PageProps<unknown, State> {
  const { config, url, req, params, info, state, isPartial, error, route } = ctx;
  return {
    config,
    url,
    req,
    params,
    info,
    state,
    isPartial,
    error,
    route,
    ...own,
  };
}
