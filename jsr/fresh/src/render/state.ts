import type { VNode } from "preact";
import type { BuildCache, Island } from "../build_cache.ts";

export type RenderState = ReturnType<typeof newRenderState>;

/** What one page's rendering collects. Rendering is synchronous, so there is only ever one. */
export function newRenderState(buildCache: BuildCache, url: URL) {
  return {
    buildCache,
    url,
    nonce: crypto.randomUUID().replaceAll("-", ""),
    /** Tags for `<head>` by identity. */
    head: new Map<string, VNode>(),
    islands: new Set<Island>(),
    /** Props of each island on the page, in the order of rendering. */
    islandProps: [] as Record<string, unknown>[],
    /** Content handed to islands, by slot id; null once it has been rendered in place. */
    slots: [] as unknown[],
    /** Which of html, head and body have been rendered. */
    seen: new Set<string>(),
  };
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
