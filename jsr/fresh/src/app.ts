import { answer, answerNotFound, answerWrongMethod } from "./answer.ts";
import { type BuildCache, emptyBuildCache } from "./build_cache.ts";
import { deploymentId, setBuildId } from "./build_id.ts";
import { type Command, errorCommand, notFoundCommand } from "./commands.ts";
import type { FreshConfig, ResolvedFreshConfig } from "./config.ts";
import { Context } from "./context.ts";
import { routeFileCommand } from "./fs_routes.ts";
import { type ListenOptions, type RequestHandler, serve } from "./listen.ts";
import type { Middleware } from "./middleware.ts";
import { renderDocument } from "./render/document.ts";
import { notInThisBuild, type Unsupported, unsupported } from "./unsupported.ts";
import { ALL_METHODS, type Method, Router } from "./router.ts";
import { Scope } from "./scope.ts";
import type { Route } from "./types.ts";

export type { ListenOptions };

export let setBuildCache: <State>(
  app: App<State>,
  cache: BuildCache,
  mode: "development" | "production",
) => void;

/**
 * Collects middlewares and routes. Order counts: a route is inside what was registered before it, in
 * its own path segment or one above.
 */
export class App<State> {
  readonly #commands: Command<State>[] = [];
  #buildCache: BuildCache | null = null;
  config: ResolvedFreshConfig;

  readonly appWrapper: Unsupported = unsupported("app.appWrapper()");
  readonly delete: Unsupported = unsupported("app.delete()");
  readonly head: Unsupported = unsupported("app.head()");
  readonly layout: Unsupported = unsupported("app.layout()");
  readonly mountApp: Unsupported = unsupported("app.mountApp()");
  readonly patch: Unsupported = unsupported("app.patch()");
  readonly put: Unsupported = unsupported("app.put()");
  readonly route: Unsupported = unsupported("app.route()");
  readonly ws: Unsupported = unsupported("app.ws()");

  static {
    setBuildCache = (app, cache, mode) => {
      app.config.root = cache.root;
      app.config.mode = mode;
      app.#buildCache = cache;
      setBuildId(cache.buildId);
    };
  }

  constructor({ basePath = "", mode = "production", trustProxy = false }: FreshConfig = {}) {
    if (basePath !== "") notInThisBuild("App's basePath");
    if (trustProxy) notInThisBuild("App's trustProxy");
    this.config = { root: ".", basePath, mode, trustProxy };
  }

  #add(command: Command<State>): this {
    this.#commands.push(command);
    return this;
  }

  /** Adds middlewares for all requests, or for a path and everything below it. */
  use(...middleware: Middleware<State>[]): this;
  use(path: string, ...middleware: Middleware<State>[]): this;
  use(first: string | Middleware<State>, ...rest: Middleware<State>[]): this {
    const [path, added] = typeof first === "string" ? [first, rest] : ["*", [first, ...rest]];
    return this.#add(({ root }) => root.at(path, true).middlewares.push(...added));
  }

  /** Handles every 404. */
  notFound(routeOrMiddleware: Route<State> | Middleware<State>): this {
    return this.#add(notFoundCommand(routeOrMiddleware));
  }

  /** Handles errors thrown at `path` and below. */
  onError(path: string, routeOrMiddleware: Route<State> | Middleware<State>): this {
    return this.#add(errorCommand(path, routeOrMiddleware));
  }

  get(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#handle(["GET"], path, middlewares);
  }

  post(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#handle(["POST"], path, middlewares);
  }

  all(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#handle(ALL_METHODS, path, middlewares);
  }

  #handle(methods: Method[], path: string, middlewares: Middleware<State>[]): this {
    return this.#add(({ root, router }) =>
      router.add(methods, { path, item: root.at(path, true).compile(middlewares) })
    );
  }

  /** Registers the route files at this point. There are none without a build. */
  fsRoutes(pattern = "*"): this {
    if (pattern !== "*") notInThisBuild("fsRoutes() below a path");
    return this.#add((target) => {
      for (const file of target.buildCache.routeFiles) routeFileCommand<State>(file)?.(target);
    });
  }

  /** Builds the router from what has been registered so far. */
  handler(): RequestHandler {
    const { config } = this;
    const buildCache = this.#buildCache ?? this.#withoutBuild();
    const root = new Scope<State>();
    const router = new Router<Middleware<State>>();
    for (const command of this.#commands) command({ root, router, buildCache });
    const fallback = root.compile();

    return async (req, info = TEST_CONNECTION) => {
      const url = new URL(req.url);
      // In a redirect, a path that begins with two slashes would be another host.
      url.pathname = url.pathname.replace(/\/+/g, "/");
      const method = req.method.toUpperCase();
      const match = router.match(method, url);
      const { pattern: route = null, item = null, params = {} } = match ?? {};
      const next = () =>
        Promise.try<Response, []>(
          match !== null && item === null
            ? () => answerWrongMethod(method, match.allowed)
            : answerNotFound,
        );
      const ctx = new Context<State>({
        req,
        url,
        info,
        route,
        params,
        config,
        next,
        buildCache,
        render: renderDocument,
      });
      return await answer(ctx, item ?? fallback);
    };
  }

  #withoutBuild(): BuildCache {
    if (this.config.mode === "production" && deploymentId() !== undefined) {
      throw new Error("No build found: run the build task and start _fresh/server.js, not main.ts");
    }
    return emptyBuildCache();
  }

  /** Starts a server; without `port` on the first free one of 8000 to 8019. */
  async listen(options: ListenOptions = {}): Promise<void> {
    await serve(this.handler(), options);
  }
}

/** The connection info without a server, as in tests. */
const TEST_CONNECTION = {
  localAddr: { transport: "tcp", hostname: "localhost", port: 8080 },
  remoteAddr: { transport: "tcp", hostname: "localhost", port: 1234 },
  completed: Promise.resolve(),
} as Deno.ServeHandlerInfo;
