import { shellOf } from "./context.ts";
import { HttpError } from "./http_error.ts";
import { chain, type Middleware } from "./middleware.ts";
import { patternToScope } from "./patterns.ts";
import { renderRoute } from "./render/route.ts";
import type { Layout, Route, RouteComponent } from "./types.ts";

/**
 * One path segment of the app: what was registered there applies to it and everything below. A route
 * takes a copy of its scopes when it is registered, so what is registered later does not reach it.
 */
export class Scope<State> {
  readonly #parent: Scope<State> | null;
  readonly #children = new Map<string, Scope<State>>();
  readonly middlewares: Middleware<State>[] = [];
  layout: Layout<State> | null = null;
  errorRoute: Route<State> | null = null;
  /** Used on the root scope only. */
  app: RouteComponent<State> | null = null;
  /** Used on the root scope only, and read when it is needed: one per app, whenever it was set. */
  notFound: Middleware<State> | null = null;

  constructor(parent: Scope<State> | null = null) {
    this.#parent = parent;
  }

  at(pattern: string, includeLast: boolean): Scope<State> {
    // deno-lint-ignore no-this-alias
    let scope: Scope<State> = this;
    for (const segment of patternToScope(pattern, includeLast)) {
      const child: Scope<State> = scope.#children.get(segment) ?? new Scope(scope);
      scope.#children.set(segment, child);
      scope = child;
    }
    return scope;
  }

  /** Everything from the root down to here as it is now, followed by `handlers`. */
  compile(handlers: Middleware<State>[] = []): Middleware<State> {
    const scopes = this.#fromRoot();
    const steps = scopes.flatMap((scope) => [enterScope(scope, scopes[0]!), ...scope.middlewares]);
    return chain([...steps, ...handlers]);
  }

  #fromRoot(): Scope<State>[] {
    return this.#parent === null ? [this] : [...this.#parent.#fromRoot(), this];
  }
}

/** Adds the scope's app and layout for what runs inside it, and handles what is thrown there. */
function enterScope<State>(scope: Scope<State>, root: Scope<State>): Middleware<State> {
  const { app, layout, errorRoute } = scope;

  return async function scopeMiddleware(ctx) {
    const shell = shellOf(ctx);
    const outer = { ...shell };
    if (app !== null) shell.app = app;
    if (layout !== null) {
      if (layout.config.skipAppWrapper) shell.app = null;
      const inherited = layout.config.skipInheritedLayouts ? [] : shell.layouts;
      shell.layouts = [...inherited, layout];
    }
    try {
      return await ctx.next();
    } catch (error) {
      const status = error instanceof HttpError ? error.status : 500;
      if (status === 404 && root.notFound !== null) return await root.notFound(ctx);
      if (errorRoute !== null) return await renderRoute(ctx, errorRoute, status);
      throw error;
    } finally {
      Object.assign(shell, outer);
    }
  };
}
