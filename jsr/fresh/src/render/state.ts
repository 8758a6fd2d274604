import type { VNode } from "preact";
import type { BuildCache, Island } from "../build_cache.ts";

/** What one page's rendering collects. Rendering is synchronous, so there is only ever one. */
export interface RenderState {
  // deno-lint-ignore no-explicit-any
  readonly buildCache: BuildCache<any>;
  readonly url: URL;
  readonly basePath: string;
  readonly nonce: string;
  /** Tags for `<head>`, by what makes two of them the same. */
  readonly head: Map<string, VNode>;
  readonly islands: Set<Island>;
  /** Props of each island on the page, in the order of rendering. */
  readonly islandProps: Record<string, unknown>[];
  /** Content handed to islands, by slot id; null once it has been rendered in place. */
  readonly slots: ({ name: string; content: unknown } | null)[];
  readonly seen: Set<"html" | "head" | "body">;
  insideHead: boolean;
}

let current: RenderState | null = null;

export function renderState(): RenderState | null {
  return current;
}

/** For components that only exist while a page is rendered. */
export function requireRenderState(): RenderState {
  if (current === null) throw new Error("No page is being rendered");
  return current;
}

/** Runs a synchronous rendering with the state set. */
export function withRenderState<T>(state: RenderState, render: () => T): T {
  current = state;
  try {
    return render();
  } finally {
    current = null;
  }
}
