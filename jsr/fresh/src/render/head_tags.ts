import { type ComponentChildren, Fragment, h, toChildArray, type VNode } from "preact";
import { type RenderState, requireRenderState } from "./state.ts";

const HEAD_TAGS = new Set([
  "title",
  "meta",
  "link",
  "script",
  "style",
  "base",
  "noscript",
  "template",
]);

/** Takes the children of a `<Head>`; of two that are the same tag, the later one wins. */
export function collectHead(state: RenderState, children: ComponentChildren): void {
  for (const child of toChildArray(children)) {
    if (typeof child !== "object") continue;
    if (child.type === Fragment) collectHead(state, child.props.children);
    else state.head.set(headKey(child) ?? `other:${state.head.size}`, child);
  }
}

/** Tags with a key also carry it in the document. */
export function keyAttribute({ type, key }: VNode): Record<string, unknown> {
  return HEAD_TAGS.has(type as string) && key ? { "data-key": key } : {};
}

/**
 * The replacement for a tag that a `<Head>` has set too. As in the published package this applies
 * anywhere in the document: the `<title>` of an SVG needs a key to keep its text.
 */
export function takeReplacement(state: RenderState, vnode: VNode): VNode | undefined {
  if (!HEAD_TAGS.has(vnode.type as string)) return undefined;
  const key = headKey(vnode) ?? "";
  const replacement = state.head.get(key);
  state.head.delete(key);
  return replacement;
}

/** Last child of every `<head>`: the tags that replaced nothing. */
export function CollectedHead(): VNode {
  const { head } = requireRenderState();
  const tags = [...head.values()];
  head.clear();
  return h(Fragment, null, tags);
}

/** Null for components: what they will render is not known. */
function headKey({ type, key, props }: VNode): string | null {
  if (typeof type !== "string") return null;
  if (key !== undefined && key !== null) return `key:${key}`;
  if (type === "title") return type;
  const ignored = ["children", "nonce", "ref"];
  if (type === "meta") ignored.push("content");
  if (type === "link") ignored.push("href");
  const attributes = Object.entries(props as Record<string, unknown>)
    .filter(([name]) => !ignored.includes(name))
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [type, ...attributes.sort()].join(" ");
}
