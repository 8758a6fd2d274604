import type { RouteFile } from "./build_cache.ts";
import { type Command, errorCommand, notFoundCommand } from "./commands.ts";
import { type HandlerFn, isHandlerByMethod, type RouteHandler } from "./handlers.ts";
import type { Middleware } from "./middleware.ts";
import { renderRoute, withHandler } from "./render/route.ts";
import { ALL_METHODS } from "./router.ts";
import type { Route, RouteComponent, RouteConfig } from "./types.ts";
import { notInThisBuild } from "./unsupported.ts";

const LAYOUT_CONFIG = ["skipInheritedLayouts", "skipAppWrapper"];

interface RouteModule<State> {
  css?: unknown;
  config?: RouteConfig;
  handler?: RouteHandler<unknown, State> | HandlerFn<unknown, State>[];
  handlers?: RouteHandler<unknown, State> | HandlerFn<unknown, State>[];
  default?: RouteComponent<State> | HandlerFn<unknown, State>[];
}

/** What the file registers; null when it has nothing that its type could use. */
export function routeFileCommand<State>(file: RouteFile): Command<State> | null {
  const { type, pattern } = file;
  if (type === "route") return routeCommand(file);
  const mod = checked<State>(file, file.mod);
  const component = mod.default as RouteComponent<State> | undefined;
  switch (type) {
    case "middleware":
      return middlewareCommand(file, mod);
    case "error":
      return errorCommand(pattern, toRoute(mod));
    case "notFound":
      return notFoundCommand(toRoute(mod));
  }
  if (component === undefined) return null;
  if (type === "app") return ({ root }) => void (root.app = component);
  const layout = { component, config: mod.config ?? {} };
  return ({ root }) => void (root.at(pattern, true).layout = layout);
}

/** Its verbs are unknown until it is loaded: it takes all, and a missing one ends in 404. */
function routeCommand<State>(file: RouteFile): Command<State> {
  const load = file.mod as () => Promise<unknown>;
  let loaded: Route<State> | undefined;
  const run: Middleware<State> = async (ctx) => {
    loaded ??= withHandler(toRoute(checked<State>(file, await load())));
    return await renderRoute(ctx, loaded);
  };
  return ({ root, router }) => {
    const item = root.at(file.pattern, false).compile([run]);
    router.add(ALL_METHODS, { path: file.routePattern, item });
  };
}

function middlewareCommand<State>(
  { id, pattern }: RouteFile,
  mod: RouteModule<State>,
): Command<State> | null {
  const found = mod.handlers ?? mod.handler ?? mod.default;
  if (isHandlerByMethod(found)) {
    console.warn(`A middleware has to be a function or a list of functions: ${id}`);
    return null;
  }
  const middlewares = [found ?? []].flat() as Middleware<State>[];
  return ({ root }) => root.at(pattern, true).middlewares.push(...middlewares);
}

function toRoute<State>(mod: RouteModule<State>): Route<State> {
  const handler = (mod.handlers ?? mod.handler) as RouteHandler<unknown, State> | undefined;
  const component = mod.default as RouteComponent<State> | undefined;
  return {
    config: mod.config ?? {},
    ...(handler === undefined ? {} : { handler }),
    ...(component === undefined ? {} : { component }),
  };
}

function checked<State>({ id, type }: RouteFile, loaded: unknown): RouteModule<State> {
  const mod = loaded as RouteModule<State>;
  const handler = mod.handlers ?? mod.handler;
  const usable = typeof mod.default === "function" ||
    (type === "middleware" && Array.isArray(mod.default)) ||
    typeof handler === "function" || typeof handler === "object" ||
    typeof mod.config === "object";
  if (!usable) {
    throw new Error(
      `Found nothing to use in routes${id}: export a default component, handler or config`,
    );
  }
  if (mod.css !== undefined) notInThisBuild(`The export css in routes${id}`);
  for (const key of Object.keys(mod.config ?? {})) {
    if (!LAYOUT_CONFIG.includes(key)) notInThisBuild(`The config ${key} in routes${id}`);
  }
  if (typeof handler === "function" && handler.length > 1) {
    throw new Error(`A handler takes one argument, the context; that of routes${id} takes more`);
  }
  return mod;
}
