import { joinPattern } from "./patterns.ts";
import type { MaybeLazyMiddleware, Middleware } from "./middlewares/mod.ts";
import { renderRoute, withHandler } from "./render/route.ts";
import { isHandlerByMethod } from "./handlers.ts";
import { ALL_METHODS, type Method, type Router } from "./router.ts";
import { type Layout, Scope } from "./scope.ts";
import type { Route, RouteComponent } from "./types.ts";

/** What app methods and route files record; nothing is built before `app.handler()`. */
export type Command<State> =
  | { type: "app"; component: RouteComponent<State> }
  | { type: "notFound"; run: Middleware<State> }
  | Placed & { type: "middleware"; middlewares: MaybeLazyMiddleware<State>[] }
  | Placed & { type: "layout"; layout: Layout<State> }
  | Placed & { type: "error"; route: Route<State> }
  | Placed & { type: "route"; route: Route<State> }
  | Placed & {
    type: "fileRoute";
    path: string;
    load: () => Promise<Route<State>>;
  }
  | Placed & {
    type: "handler";
    methods: readonly Method[];
    middlewares: MaybeLazyMiddleware<State>[];
  }
  | Placed & { type: "fsRoutes"; commands: () => Command<State>[] };

interface Placed {
  pattern: string;
  /** Whether the scope is the pattern itself or the folder it is in. */
  includeLast: boolean;
}

export function errorCommand<State>(
  pattern: string,
  item: Route<State> | Middleware<State>,
): Command<State> {
  return { type: "error", pattern, includeLast: true, route: toRoute(item) };
}

export function notFoundCommand<State>(
  item: Route<State> | Middleware<State>,
): Command<State> {
  const route = toRoute(item);
  return { type: "notFound", run: (ctx) => renderRoute(ctx, route) };
}

function toRoute<State>(item: Route<State> | Middleware<State>): Route<State> {
  return withHandler(typeof item === "function" ? { handler: item } : item);
}

export interface Plan<State> {
  router: Router<Middleware<State>>;
  basePath: string;
}

/** Registers every command and returns the chain for requests that match no route. */
export function applyCommands<State>(
  commands: Command<State>[],
  plan: Plan<State>,
): Middleware<State> {
  const root = new Scope<State>();
  for (const command of commands) apply(command, root, plan);
  return root.compile();
}

function apply<State>(
  command: Command<State>,
  root: Scope<State>,
  plan: Plan<State>,
): void {
  if (command.type === "app") {
    root.app = command.component;
    return;
  }
  if (command.type === "notFound") {
    root.notFound = command.run;
    return;
  }
  if (command.type === "fsRoutes") {
    const basePath = joinPattern(plan.basePath, command.pattern, true);
    for (const each of command.commands()) {
      apply(each, root, { ...plan, basePath });
    }
    return;
  }
  const scope = root.at(command.pattern, command.includeLast);
  switch (command.type) {
    case "middleware":
      scope.middlewares.push(...command.middlewares);
      return;
    case "layout":
      scope.layout = command.layout;
      return;
    case "error":
      scope.errorRoute = command.route;
      return;
    case "route":
      return addRoute(command, scope, plan);
    case "fileRoute":
      return addFileRoute(command, scope, plan);
    case "handler":
      return addToRouter(plan, {
        path: joinPattern(plan.basePath, command.pattern, false),
        methods: command.methods,
        run: scope.compile(command.middlewares),
      });
    default:
      command satisfies never;
  }
}

type CommandOf<State, Type> = Extract<Command<State>, { type: Type }>;

function addRoute<State>(
  { pattern, route }: CommandOf<State, "route">,
  scope: Scope<State>,
  plan: Plan<State>,
): void {
  addToRouter(plan, {
    path: joinPattern(
      plan.basePath,
      route.config?.routeOverride ?? pattern,
      false,
    ),
    methods: isHandlerByMethod(route.handler)
      ? Object.keys(route.handler) as Method[]
      : ALL_METHODS,
    run: scope.compile([(ctx) => renderRoute(ctx, route)]),
  });
}

/** Its verbs are unknown until it is loaded: it takes all, and a missing one ends in 404. */
function addFileRoute<State>(
  { path, load }: CommandOf<State, "fileRoute">,
  scope: Scope<State>,
  plan: Plan<State>,
): void {
  let loaded: Route<State> | undefined;
  addToRouter(plan, {
    path: joinPattern(plan.basePath, path, false),
    methods: ALL_METHODS,
    run: scope.compile([async (ctx) => {
      loaded ??= await load();
      return await renderRoute(ctx, loaded);
    }]),
  });
}

interface Endpoint<State> {
  path: string;
  methods: readonly Method[];
  run: Middleware<State>;
}

function addToRouter<State>(
  plan: Plan<State>,
  { path, methods, run }: Endpoint<State>,
): void {
  for (const method of methods) {
    plan.router.add(method, path === "" ? "*" : path, run);
  }
}
