import "./hooks.ts";
import { type ComponentChildren, Fragment, h, type VNode } from "preact";
import { jsxTemplate } from "preact/jsx-runtime";
import { renderToString } from "preact-render-to-string";
import type { BuildCache } from "../build_cache.ts";
import { setBuildId } from "../build_id.ts";
import type { Context, Shell } from "../context.ts";
import { NONCE } from "../middlewares/csp.ts";
import { pageProps, renderComponent } from "./route.ts";
import { preloadLinks } from "./scripts.ts";
import { type RenderState, withRenderState } from "./state.ts";

export interface DocumentParts<State> {
  vnode: VNode | null;
  init: ResponseInit;
  shell: Shell<State>;
  buildCache: BuildCache<State>;
}

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
    const wrapped = await renderComponent(
      component,
      pageProps(ctx, { data: null, Component: ctx.Component }),
    );
    if (wrapped instanceof Response) return wrapped;
    content = wrapped;
  }

  const rendered = { page: null as VNode | null };
  let wrapper: VNode | null = null;
  if (shell.app !== null) {
    ctx.Component = () => rendered.page;
    const result = await renderComponent(
      shell.app,
      pageProps(ctx, { data: null, Component: ctx.Component }),
    );
    if (result instanceof Response) return result;
    wrapper = result;
  }

  const state = newState(ctx, buildCache);
  const html = withRenderState(state, () => {
    setBuildId(buildCache.buildId);
    let body = renderToString(content ?? h(Fragment, null));
    if (shell.app !== null) {
      rendered.page = rawHtml(body);
      body = renderToString(wrapper ?? h(Fragment, null));
    }
    return `<!DOCTYPE html>${completeDocument(body, state)}`;
  });
  return toResponse(html, init, state);
}

function newState<State>(
  ctx: Context<State>,
  buildCache: BuildCache<State>,
): RenderState {
  return {
    buildCache,
    url: ctx.url,
    basePath: ctx.config.basePath,
    nonce: crypto.randomUUID().replaceAll("-", ""),
    head: new Map(),
    islands: new Set(),
    islandProps: [],
    slots: [],
    seen: new Set(),
    insideHead: false,
  };
}

function rawHtml(html: string): VNode {
  return jsxTemplate([html]);
}

/** Adds those of html, head and body that nothing has rendered. */
function completeDocument(html: string, { seen }: RenderState): string {
  if (seen.size === 3) return html;
  let content: ComponentChildren = rawHtml(html);
  if (!seen.has("body")) content = h("body", null, content);
  if (!seen.has("head")) {
    content = h(
      Fragment,
      null,
      h("head", null, h("meta", { charset: "utf-8" })),
      content,
    );
  }
  return renderToString(
    seen.has("html") ? h(Fragment, null, content) : h("html", null, content),
  );
}

function toResponse(
  html: string,
  init: ResponseInit,
  state: RenderState,
): Response {
  const headers = new Headers(init.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  const links = preloadLinks(state);
  if (links !== null) headers.append("Link", links);
  const response = new Response(html, { ...init, headers });
  // On the object, not in a header: csp() reads it, and no client ever sees it there.
  return Object.assign(response, { [NONCE]: state.nonce });
}
