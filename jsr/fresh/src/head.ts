import type { ComponentChildren } from "preact";

export interface HeadProps {
  children?: ComponentChildren;
}

/**
 * Moves its children into `<head>`. It renders nothing by itself: the renderer knows it by its
 * identity and collects its children.
 */
export function Head(_props: HeadProps): ComponentChildren {
  return null;
}
