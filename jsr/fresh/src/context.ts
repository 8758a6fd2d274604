import { type FunctionComponent, isValidElement, type VNode } from "preact";
import type { BuildCache } from "./build_cache.ts";
import type { ResolvedFreshConfig } from "./config.ts";
import { notInThisBuild } from "./unsupported.ts";
import type { Layout, LayoutConfig, RouteComponent } from "./types.ts";

/** The older name of `Context`. */
export type FreshContext<State = unknown> = Context<State>;

/** What surrounds a page: changes as the request enters and leaves scopes. */
export interface Shell<State> {
  app: RouteComponent<State> | null;
  layouts: Layout<State>[];
}

/** What a page is rendered from. */
export interface DocumentParts<State> {
  vnode: VNode | null;
  init: ResponseInit;
  shell: Shell<State>;
  buildCache: BuildCache;
}

/** Renders a page to a whole document. */
export type RenderDocument = <State>(
  ctx: Context<State>,
  parts: DocumentParts<State>,
) => Promise<Response>;

type RequestPart = "req" | "url" | "info" | "route" | "params" | "config" | "next";

export type ContextParts<State> = Pick<Context<State>, RequestPart> & {
  buildCache: BuildCache;
  render: RenderDocument;
};

export let shellOf: <State>(ctx: Context<State>) => Shell<State>;
export let buildCacheOf: <State>(ctx: Context<State>) => BuildCache;

/** Everything about one request; a new one for each. */
export class Context<State> {
  readonly #shell: Shell<State> = { app: null, layouts: [] };
  readonly #buildCache: BuildCache;
  readonly #render: RenderDocument;
  readonly config: ResolvedFreshConfig;
  /** The request's URL, runs of slashes collapsed; a copy that may be changed. */
  readonly url: URL;
  req: Request;
  /** The pattern that matched, null when none did. */
  readonly route: string | null;
  readonly params: Record<string, string>;
  /** Empty at the start of each request. */
  readonly state: State = {} as State;
  data: unknown = undefined;
  /** What was thrown; null for a URL that nothing matched and no middleware saw. */
  error: unknown | null = null;
  readonly info: Deno.ServeHandlerInfo;
  /** Partials are not in this build. */
  readonly isPartial: boolean = false;
  /** Runs what comes after the current middleware. */
  next: () => Promise<Response>;
  /** Inside layouts and the app wrapper: what they surround. */
  Component!: FunctionComponent;

  static {
    shellOf = (ctx) => ctx.#shell;
    buildCacheOf = (ctx) => ctx.#buildCache;
  }

  constructor(parts: ContextParts<State>) {
    this.req = parts.req;
    this.url = parts.url;
    this.info = parts.info;
    this.route = parts.route;
    this.params = parts.params;
    this.config = parts.config;
    this.next = parts.next;
    this.#buildCache = parts.buildCache;
    this.#render = parts.render;
  }

  /** A rooted path cannot leave the site (`//evil.example` becomes a path); a full URL can. */
  redirect(pathOrUrl: string, status = 302): Response {
    let location = pathOrUrl;
    if (pathOrUrl.startsWith("/")) {
      const [path = ""] = pathOrUrl.split(/[?#]/, 1);
      location = path.replace(/\/+/g, "/") + pathOrUrl.slice(path.length);
    }
    return new Response(null, { status, headers: { location } });
  }

  /** Renders JSX inside the layouts and the app wrapper of the matched route. */
  async render(
    // deno-lint-ignore no-explicit-any
    vnode: VNode<any> | null,
    init: ResponseInit | undefined = {},
    config: LayoutConfig = {},
  ): Promise<Response> {
    if (vnode !== null && !isValidElement(vnode)) throw new Error("ctx.render() takes JSX or null");
    const shell = {
      app: config.skipAppWrapper ? null : this.#shell.app,
      layouts: config.skipInheritedLayouts ? [] : this.#shell.layouts,
    };
    return await this.#render(this, { vnode, init, shell, buildCache: this.#buildCache });
  }

  /** A plain text answer. */
  text(content: string, init?: ResponseInit): Response {
    return new Response(content, init);
  }

  /** An HTML answer from a finished string. */
  html(content: string, init?: ResponseInit): Response {
    const headers = new Headers(init?.headers);
    headers.set("Content-Type", "text/html; charset=utf-8");
    return new Response(content, { ...init, headers });
  }

  /** A JSON answer. */
  // deno-lint-ignore no-explicit-any
  json(content: any, init?: ResponseInit): Response {
    return Response.json(content, init);
  }

  /** Streams are not in this build: answer with a `Response` over a `ReadableStream`. */
  stream(..._args: unknown[]): never {
    notInThisBuild("ctx.stream()");
  }

  /** WebSockets are not in this build. */
  upgrade(..._args: unknown[]): never {
    notInThisBuild("ctx.upgrade()");
  }
}
