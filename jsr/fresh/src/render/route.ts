import { type ComponentType, h, type VNode } from "preact";
import { answerNotFound } from "../answer.ts";
import { type Context, shellOf } from "../context.ts";
import { isHandlerByMethod, type PageResponse } from "../handlers.ts";
import type { Method } from "../router.ts";
import type { AsyncAnyComponent, PageProps, Route, RouteComponent } from "../types.ts";

/** The route with a default handler, and one for GET if it has a page. */
export function withHandler<State>(route: Route<State>): Route<State> {
  const { component, handler } = route;
  if (handler === undefined) {
    return { ...route, handler: component === undefined ? answerNotFound : answerEmptyPage };
  }
  const complete = component === undefined || !isHandlerByMethod<unknown, State>(handler);
  return complete ? route : { ...route, handler: { GET: answerEmptyPage, ...handler } };
}

function answerEmptyPage(): PageResponse<unknown> {
  return { data: {} };
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
    const result = await runHandler(ctx, route);
    if (result instanceof Response) return result;
    const { data, headers = {} } = result;
    const init = { status: result.status ?? status, headers };
    if (route.component === undefined) return await ctx.render(null, init);
    const vnode = await renderComponent(ctx, { component: route.component, data });
    return vnode instanceof Response ? vnode : await ctx.render(vnode, init);
  } finally {
    Object.assign(shell, outer);
  }
}

async function runHandler<State>(
  ctx: Context<State>,
  { handler }: Route<State>,
): Promise<Response | PageResponse<unknown>> {
  const method = ctx.req.method.toUpperCase();
  const found = isHandlerByMethod<unknown, State>(handler)
    ? handler[method as Method] ?? (method === "HEAD" ? handler.GET : undefined)
    : handler;
  return await (found === undefined ? ctx.next() : found(ctx));
}

interface RenderParts<State> {
  component: RouteComponent<State>;
  data: unknown;
  /** What a layout or `_app` surrounds. */
  Component?: PageProps["Component"];
}

/** An async component is awaited here: the rendering proper has to stay synchronous. */
export async function renderComponent<State>(
  ctx: Context<State>,
  { component, data, Component = () => null }: RenderParts<State>,
): Promise<VNode | Response | null> {
  const { config, url, req, params, info, state, isPartial, error, route } = ctx;
  const context = { config, url, req, params, info, state, isPartial, error, route };
  const props: PageProps<unknown, State> = { ...context, data, Component };
  if (component.constructor.name === "AsyncFunction") {
    return await (component as AsyncAnyComponent<typeof props>)(props);
  }
  return h(component as ComponentType<typeof props>, props) as VNode;
}
