import type { BuildCache } from "./build_cache.ts";
import type { Middleware } from "./middleware.ts";
import { renderRoute, withHandler } from "./render/route.ts";
import type { Router } from "./router.ts";
import type { Scope } from "./scope.ts";
import type { Route } from "./types.ts";

/** What is built when `app.handler()` is called. */
export interface Target<State> {
  root: Scope<State>;
  router: Router<Middleware<State>>;
  buildCache: BuildCache;
}

/** What app methods and route files record, to be done in the same order. */
export type Command<State> = (target: Target<State>) => void;

export function errorCommand<State>(
  pattern: string,
  item: Route<State> | Middleware<State>,
): Command<State> {
  const route = toRoute(item);
  return ({ root }) => void (root.at(pattern, true).errorRoute = route);
}

export function notFoundCommand<State>(item: Route<State> | Middleware<State>): Command<State> {
  const route = toRoute(item);
  return ({ root }) => void (root.notFound = (ctx) => renderRoute(ctx, route));
}

function toRoute<State>(item: Route<State> | Middleware<State>): Route<State> {
  return withHandler(typeof item === "function" ? { handler: item } : item);
}
