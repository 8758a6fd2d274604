import "./hooks.ts";
import { type ComponentChildren, Fragment, h, type VNode } from "preact";
import { jsxTemplate } from "preact/jsx-runtime";
import { renderToString } from "preact-render-to-string";
import { setBuildId } from "../build_id.ts";
import type { Context, DocumentParts } from "../context.ts";
import { NONCE } from "../middlewares/csp.ts";
import { renderComponent } from "./route.ts";
import { preloadLinks } from "./scripts.ts";
import { newRenderState, type RenderState, withRenderState } from "./state.ts";

/**
 * Renders a page in its layouts and app wrapper to a whole document. Async components are awaited
 * first: from there on rendering is synchronous, as its state is shared. The page comes before the
 * wrapper, so that its `<Head>` is known when `<head>` is rendered.
 */
export async function renderDocument<State>(
  ctx: Context<State>,
  { vnode, init, shell, buildCache }: DocumentParts<State>,
): Promise<Response> {
  let content = vnode;
  for (const { component } of shell.layouts.toReversed()) {
    const child = content;
    ctx.Component = () => child;
    const wrapped = await renderComponent(ctx, { component, data: null, Component: ctx.Component });
    if (wrapped instanceof Response) return wrapped;
    content = wrapped;
  }

  let page: VNode | null = null;
  let wrapper: VNode | Response | null = null;
  if (shell.app !== null) {
    const Component = ctx.Component = () => page;
    wrapper = await renderComponent(ctx, { component: shell.app, data: null, Component });
    if (wrapper instanceof Response) return wrapper;
  }

  const state = newRenderState(buildCache, ctx.url);
  const html = withRenderState(state, () => {
    setBuildId(buildCache.buildId);
    const body = renderToString(content ?? h(Fragment, null));
    if (shell.app === null) return completeDocument(body, state);
    page = rawHtml(body);
    return completeDocument(renderToString(wrapper ?? h(Fragment, null)), state);
  });
  return toResponse(`<!DOCTYPE html>${html}`, init, state);
}

function rawHtml(html: string): VNode {
  return jsxTemplate([html]);
}

/** Adds those of html, head and body that nothing has rendered. */
function completeDocument(html: string, { seen }: RenderState): string {
  if (seen.size === 3) return html;
  let content: ComponentChildren = rawHtml(html);
  if (!seen.has("body")) content = h("body", null, content);
  if (!seen.has("head")) content = [h("head", null, h("meta", { charset: "utf-8" })), content];
  return renderToString(h(seen.has("html") ? Fragment : "html", null, content));
}

function toResponse(html: string, init: ResponseInit, state: RenderState): Response {
  const headers = new Headers(init.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  const links = preloadLinks(state);
  if (links !== null) headers.append("Link", links);
  const response = new Response(html, { ...init, headers });
  // On the object, not in a header: csp() reads it, and no client ever sees it there.
  return Object.assign(response, { [NONCE]: state.nonce });
}
