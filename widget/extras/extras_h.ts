import type { h as createElement } from "preact";

/** The panel's, for the JSX of the extras. */
export let h: typeof createElement;

export function useElementFactory(given: typeof createElement): void {
  h = given;
}
