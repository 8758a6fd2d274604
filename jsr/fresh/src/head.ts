import type { ComponentChildren } from "preact";

export interface HeadProps {
  children?: ComponentChildren;
}

/**
 * Moves its children into `<head>`. On the server it renders nothing by itself: the renderer knows it
 * by its identity and collects its children. Browsers get the one in `client/head.ts`.
 */
export function Head(_props: HeadProps): ComponentChildren {
  return null;
}
