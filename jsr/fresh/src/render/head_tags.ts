import { type ComponentChildren, Fragment, h, toChildArray, type VNode } from "preact";
import { type RenderState, requireRenderState } from "./state.ts";

export const HEAD_TAGS = new Set([
  "title",
  "meta",
  "link",
  "script",
  "style",
  "base",
  "noscript",
]);

/** Takes the children of a `<Head>`; of two that are the same tag, the later one wins. */
export function collectHead(
  state: RenderState,
  children: ComponentChildren,
): void {
  for (const child of toChildArray(children)) {
    if (typeof child !== "object") continue;
    if (child.type === Fragment) collectHead(state, child.props.children);
    else {state.head.set(
        headKey(child) ?? `other:${state.head.size}`,
        withDataKey(child),
      );}
  }
}

/** A tag that the document has in its own `<head>` and a page has set too: the page's replaces it. */
export function takeReplacement(
  state: RenderState,
  vnode: VNode,
): VNode | null {
  const key = headKey(vnode);
  const replacement = key === null ? undefined : state.head.get(key);
  if (key === null || replacement === undefined) return null;
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
  const ignored = new Set(["children", "nonce", "ref"]);
  if (type === "meta") ignored.add("content");
  if (type === "link") ignored.add("href");
  const attributes = Object.entries(props as Record<string, unknown>)
    .filter(([name]) => !ignored.has(name))
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [type, ...attributes.sort()].join(" ");
}

/** The browser finds a keyed tag again by this attribute. */
function withDataKey(vnode: VNode): VNode {
  if (
    typeof vnode.type !== "string" || vnode.key === undefined ||
    vnode.key === null
  ) return vnode;
  const { type, key, props } = vnode;
  return h(type, { ...props, key, "data-key": String(key) }) as VNode;
}
