import { type Command, errorCommand, notFoundCommand } from "./commands.ts";
import type { HandlerFn, RouteHandler } from "./handlers.ts";
import { isHandlerByMethod } from "./handlers.ts";
import type { Middleware } from "./middlewares/mod.ts";
import { withHandler } from "./render/route.ts";
import type { Route, RouteComponent, RouteConfig } from "./types.ts";

/** What the file's name says it is. */
export type RouteFileType =
  | "app"
  | "error"
  | "layout"
  | "middleware"
  | "notFound"
  | "route";

/** A file of the routes folder, with its module or a function that loads it. */
export interface RouteFile {
  /** Path below the folder, without extension: `/blog/[slug]`. */
  id: string;
  type: RouteFileType;
  /** Where it is in the tree of scopes, groups included. */
  pattern: string;
  /** The URLPattern pathname it answers to. */
  routePattern: string;
  mod: unknown | (() => Promise<unknown>);
}

interface RouteModule<State> {
  config?: RouteConfig;
  handler?: RouteHandler<unknown, State> | HandlerFn<unknown, State>[];
  handlers?: RouteHandler<unknown, State> | HandlerFn<unknown, State>[];
  default?: RouteComponent<State> | HandlerFn<unknown, State>[];
  css?: string[];
}

/** What the files register, in the order they have been sorted in. */
export function routeFilesToCommands<State>(
  files: RouteFile[],
): Command<State>[] {
  return files.flatMap((file) => commandOf<State>(file) ?? []);
}

function commandOf<State>(file: RouteFile): Command<State> | null {
  const { id, pattern, routePattern, mod: loaded } = file;
  if (file.type === "route" && typeof loaded === "function") {
    const load = async () => toRoute<State>(id, await loaded(), routePattern);
    return {
      type: "fileRoute",
      pattern,
      includeLast: false,
      path: routePattern,
      load,
    };
  }
  const mod = checked<State>(id, loaded, file.type);
  switch (file.type) {
    case "middleware":
      return middlewareCommand(file, mod);
    case "layout":
      return layoutCommand(file, mod);
    case "app": {
      const component = mod.default as RouteComponent<State> | undefined;
      return component === undefined ? null : { type: "app", component };
    }
    case "error":
      return errorCommand(pattern, toErrorRoute(mod));
    case "notFound":
      return notFoundCommand(toErrorRoute(mod));
    case "route": {
      const route = toRoute<State>(id, mod, routePattern);
      return { type: "route", pattern, includeLast: false, route };
    }
  }
}

function middlewareCommand<State>(
  { id, pattern }: RouteFile,
  mod: RouteModule<State>,
): Command<State> | null {
  const found = mod.handlers ?? mod.handler ?? mod.default;
  if (isHandlerByMethod(found)) {
    console.warn(
      `A middleware has to be a function or a list of functions: ${id}`,
    );
    return null;
  }
  if (found === undefined) return null;
  const middlewares = [found].flat() as Middleware<State>[];
  return { type: "middleware", pattern, includeLast: true, middlewares };
}

function layoutCommand<State>(
  { id, pattern }: RouteFile,
  mod: RouteModule<State>,
): Command<State> | null {
  if (mod.handlers ?? mod.handler) {
    console.warn(`A layout cannot have handlers: ${id}`);
  }
  if (mod.default === undefined) return null;
  const layout = {
    component: mod.default as RouteComponent<State>,
    config: mod.config ?? {},
  };
  return { type: "layout", pattern, includeLast: true, layout };
}

function toErrorRoute<State>(mod: RouteModule<State>): Route<State> {
  const { routeOverride: _, ...config } = mod.config ?? {};
  return { ...parts(mod), config };
}

function toRoute<State>(
  id: string,
  loaded: unknown,
  routePattern: string,
): Route<State> {
  const mod = checked<State>(id, loaded, "route");
  return withHandler({
    ...parts(mod),
    config: { routeOverride: routePattern, ...mod.config },
  });
}

function parts<State>(mod: RouteModule<State>): Route<State> {
  const route: Route<State> = {};
  const handler = mod.handlers ?? mod.handler;
  if (handler !== undefined) {
    route.handler = handler as RouteHandler<unknown, State>;
  }
  if (mod.default !== undefined) {
    route.component = mod.default as RouteComponent<State>;
  }
  return route;
}

function checked<State>(
  id: string,
  loaded: unknown,
  type: RouteFileType,
): RouteModule<State> {
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
  if (typeof handler === "function" && handler.length > 1) {
    throw new Error(
      `A handler takes one argument, the context; that of routes${id} takes more`,
    );
  }
  return mod;
}
