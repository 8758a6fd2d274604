import { answer, answerNotFound, answerWrongMethod, requestUrl } from "./answer.ts";
import { type BuildCache, emptyBuildCache } from "./build_cache.ts";
import { deploymentId, setBuildId } from "./build_id.ts";
import { applyCommands, type Command, errorCommand, notFoundCommand } from "./commands.ts";
import type { FreshConfig, ResolvedFreshConfig } from "./config.ts";
import { Context, type WebSocketHandlers, type WebSocketUpgradeOptions } from "./context.ts";
import { type ListenOptions, serve } from "./listen.ts";
import type { MaybeLazyMiddleware, Middleware } from "./middlewares/mod.ts";
import { notInThisBuild } from "./not_in_this_build.ts";
import { joinPattern } from "./patterns.ts";
import { withHandler } from "./render/route.ts";
import { ALL_METHODS, type Method, Router } from "./router.ts";
import type { LayoutConfig, MaybeLazy, Route, RouteComponent, RouteConfig } from "./types.ts";

export type { ListenOptions };

/** Answers requests; usable without a server. */
export type RequestHandler = (
  request: Request,
  info?: Deno.ServeHandlerInfo,
) => Promise<Response>;

export let setBuildCache: <State>(
  app: App<State>,
  cache: BuildCache<State>,
  mode: "development" | "production",
) => void;

/**
 * Collects middlewares and routes. Order counts: a route is inside what was registered before it, in
 * its own path segment or one above.
 */
export class App<State> {
  readonly #commands: Command<State>[] = [];
  #buildCache: () => BuildCache<State> | null = () => null;
  config: ResolvedFreshConfig;

  static {
    setBuildCache = (app, cache, mode) => {
      app.config.root = cache.root;
      app.config.mode = mode;
      app.#buildCache = () => cache;
      setBuildId(cache.buildId);
    };
  }

  constructor(config: FreshConfig = {}) {
    const { basePath = "", mode = "production", trustProxy = false } = config;
    this.config = { root: ".", basePath, mode, trustProxy };
  }

  #add(command: Command<State>): this {
    this.#commands.push(command);
    return this;
  }

  /** Adds middlewares for all requests, or for a path and everything below it. */
  use(...middleware: MaybeLazyMiddleware<State>[]): this;
  use(path: string, ...middleware: MaybeLazyMiddleware<State>[]): this;
  use(
    first: string | MaybeLazyMiddleware<State>,
    ...rest: MaybeLazyMiddleware<State>[]
  ): this {
    const [pattern, middlewares] = typeof first === "string"
      ? [first, rest]
      : ["*", [first, ...rest]];
    return this.#add({
      type: "middleware",
      pattern,
      includeLast: true,
      middlewares,
    });
  }

  /** What answers a 404, wherever it arises. */
  notFound(routeOrMiddleware: Route<State> | Middleware<State>): this {
    return this.#add(notFoundCommand(routeOrMiddleware));
  }

  /** What answers errors thrown at `path` or below it. */
  onError(
    path: string,
    routeOrMiddleware: Route<State> | Middleware<State>,
  ): this {
    return this.#add(errorCommand(path, routeOrMiddleware));
  }

  /** The component around every page that is registered later. */
  appWrapper(component: RouteComponent<State>): this {
    return this.#add({ type: "app", component });
  }

  /** A component around the pages at `path` and below it. */
  layout(
    path: string,
    component: RouteComponent<State>,
    config: LayoutConfig = {},
  ): this {
    const layout = { component, config };
    return this.#add({
      type: "layout",
      pattern: path,
      includeLast: true,
      layout,
    });
  }

  /** A page. */
  route(
    path: string,
    route: MaybeLazy<Route<State>>,
    _config?: RouteConfig,
  ): this {
    if (typeof route === "function") notInThisBuild("A lazy route in code");
    const item = withHandler(route);
    return this.#add({
      type: "route",
      pattern: path,
      includeLast: true,
      route: item,
    });
  }

  get(path: string, ...middlewares: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle(["GET"], path, middlewares);
  }

  post(path: string, ...middlewares: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle(["POST"], path, middlewares);
  }

  patch(path: string, ...middlewares: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle(["PATCH"], path, middlewares);
  }

  put(path: string, ...middlewares: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle(["PUT"], path, middlewares);
  }

  delete(path: string, ...middlewares: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle(["DELETE"], path, middlewares);
  }

  head(path: string, ...middlewares: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle(["HEAD"], path, middlewares);
  }

  all(path: string, ...middlewares: MaybeLazy<Middleware<State>>[]): this {
    return this.#handle(ALL_METHODS, path, middlewares);
  }

  /** WebSockets are not in this build. */
  ws(
    _path: string,
    _handlers: WebSocketHandlers,
    _options?: WebSocketUpgradeOptions,
  ): this {
    notInThisBuild("app.ws()");
  }

  #handle(
    methods: readonly Method[],
    pattern: string,
    items: MaybeLazy<Middleware<State>>[],
  ): this {
    const middlewares = items as MaybeLazyMiddleware<State>[];
    return this.#add({
      type: "handler",
      pattern,
      includeLast: true,
      methods,
      middlewares,
    });
  }

  /** The place of the route files in the order of registration. There are none without a build. */
  fsRoutes(pattern = "*"): this {
    const commands = () => this.#buildCache()?.fileRoutes() ?? [];
    return this.#add({
      type: "fsRoutes",
      pattern,
      includeLast: false,
      commands,
    });
  }

  /** Copies another app's registrations under a path; its app wrapper and notFound become global. */
  mountApp(path: string, app: App<State>): this {
    for (const command of app.#commands) {
      if (command.type === "app" || command.type === "notFound") {
        this.#add(command);
        continue;
      }
      const { basePath } = app.config;
      const inner = basePath ? joinPattern(basePath, command.pattern, false) : command.pattern;
      this.#add({
        ...command,
        pattern: joinPattern(path, inner, true),
        includeLast: command.pattern === "/" || command.includeLast,
      });
    }
    app.#buildCache = () => this.#buildCache();
    return this;
  }

  /** Builds the router from what has been registered so far. */
  handler(): RequestHandler {
    const buildCache = this.#buildCache() ?? this.#withoutBuild();
    const router = new Router<Middleware<State>>();
    const { config } = this;
    const fallback = applyCommands(this.#commands, {
      router,
      basePath: config.basePath,
    });

    return async (req, info = TEST_CONNECTION) => {
      const url = requestUrl(req, config);
      const method = req.method.toUpperCase();
      const { pattern: route, item, params } = router.match(method, url);
      const next = item !== null || route === null
        ? answerNotFound
        : answerWrongMethod(method, router.allowedMethods(route));
      const ctx = new Context<State>({
        req,
        url,
        info,
        route,
        params,
        config,
        next,
        buildCache,
      });
      return await answer(ctx, item ?? fallback);
    };
  }

  #withoutBuild(): BuildCache<State> {
    if (this.config.mode === "production" && deploymentId() !== undefined) {
      throw new Error(
        "No build found: run the build task and start _fresh/server.js, not main.ts",
      );
    }
    return emptyBuildCache();
  }

  /** Starts a server; without `port` on the first free one of 8000 to 8019. */
  async listen(options: ListenOptions = {}): Promise<void> {
    await serve(this.handler(), { basePath: this.config.basePath, ...options });
  }
}

/** Who is asking when there is no server, as in tests. */
const TEST_CONNECTION = {
  localAddr: { transport: "tcp", hostname: "localhost", port: 8080 },
  remoteAddr: { transport: "tcp", hostname: "localhost", port: 1234 },
  completed: Promise.resolve(),
} as Deno.ServeHandlerInfo;
