import type { AnyComponent, RenderableProps, VNode } from "preact";
import type { Context } from "./context.ts";
import type { RouteHandler } from "./handlers.ts";

/** What of the context pages, layouts, `_app` and error pages are given. */
type PagePart =
  | "config"
  | "url"
  | "req"
  | "params"
  | "info"
  | "state"
  | "isPartial"
  | "Component"
  | "error"
  | "route";

export type PageProps<Data = unknown, T = unknown> = Pick<Context<T>, PagePart> & { data: Data };

/** A component that may look things up first, and may answer with a `Response` instead. */
export type AsyncAnyComponent<P> = {
  // The parameters are preact's own, so that inline components are typed by context.
  // deno-lint-ignore no-explicit-any
  (props: RenderableProps<P>, context?: any): Promise<VNode<any> | Response | null>;
  displayName?: string;
  defaultProps?: Partial<P> | undefined;
};

export type RouteComponent<State> =
  | AsyncAnyComponent<PageProps<unknown, State>>
  | AnyComponent<PageProps<unknown, State>>;

/** How a layout takes part in the nesting. */
export interface LayoutConfig {
  /** Drop the layouts collected so far. */
  skipInheritedLayouts?: boolean;
  /** Drop `_app`. */
  skipAppWrapper?: boolean;
}

/** A layout with the settings of its file. */
export interface Layout<State> {
  component: RouteComponent<State>;
  config: LayoutConfig;
}

/** The `config` export of a route file. */
export type RouteConfig = LayoutConfig;

/** A page. */
export interface Route<State> {
  component?: RouteComponent<State>;
  config?: RouteConfig;
  handler?: RouteHandler<unknown, State>;
}
