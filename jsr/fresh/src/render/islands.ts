import { type ComponentChildren, type ComponentType, Fragment, h, isValidElement } from "preact";
import type { VNode } from "preact";
import type { Island } from "../build_cache.ts";
import { encodeProps } from "../props/encode.ts";
import { requireRenderState } from "./state.ts";

interface IslandBoundaryProps {
  island: Island;
  given: Record<string, unknown>;
  islandKey: unknown;
}

interface KeyBoundaryProps {
  component: ComponentType;
  given: Record<string, unknown>;
  componentKey: unknown;
}

/** The renderer sets `__` to a node's parent before it asks the hooks. */
type LinkedVNode = VNode & { __?: LinkedVNode | null };

/** Replaces an island's node by its boundary, unless another island renders it. */
export function markIsland(vnode: VNode, island: Island): void {
  if (isPartOfIsland(vnode)) return;
  replaceNode(vnode, IslandBoundary, { island, given: vnode.props, islandKey: vnode.key });
}

/** Replaces a component with a key in a slot by its boundary: the browser needs the key. */
export function markKey(vnode: VNode): void {
  const { type, key, props } = vnode;
  const isBoundary = [IslandBoundary, KeyBoundary].some((each) => type === each as unknown);
  if (key === undefined || key === null || type === Fragment || isBoundary) return;
  if (closestBoundary(vnode) !== Slot) return;
  replaceNode(vnode, KeyBoundary, { component: type, given: props, componentKey: key });
}

function replaceNode(vnode: VNode, type: unknown, props: object): void {
  vnode.type = type as ComponentType;
  vnode.props = props as typeof vnode.props;
}

/** The page renders the content of a slot, so an island there is not part of the outer one. */
export function isPartOfIsland(vnode: VNode): boolean {
  return closestBoundary(vnode) === IslandBoundary;
}

function closestBoundary(vnode: LinkedVNode): unknown {
  for (let parent = vnode.__; parent; parent = parent.__) {
    if ([IslandBoundary, Slot].some((each) => parent?.type === each as unknown)) return parent.type;
  }
}

/** Renders an island between two comments that mark it for the browser. */
function IslandBoundary({ island, given, islandKey }: IslandBoundaryProps): VNode {
  const { islands, islandProps, slots } = requireRenderState();
  const props = { ...given };
  if (given.children !== undefined && given.children !== null) {
    const id = slots.push(given.children) - 1;
    props.children = h(Slot, { id }, given.children as ComponentChildren);
  }
  islands.add(island);
  const index = islandProps.push(props) - 1;
  const key = islandKey === undefined || islandKey === null ? "" : `:${keyText(islandKey)}`;
  return between("island", `${island.name}:${index}${key}`, h(island.fn, props));
}

function KeyBoundary({ component, given, componentKey }: KeyBoundaryProps): VNode {
  return between("key", keyText(componentKey), h(component, given));
}

/** Colons separate the fields of a marker. */
function keyText(key: unknown): string {
  return String(key).replaceAll(":", "_");
}

interface SlotProps {
  id: number;
  children?: ComponentChildren;
}

function Slot({ id, children }: SlotProps): VNode {
  requireRenderState().slots[id] = null;
  return between("slot", String(id), children);
}

function between(kind: string, text: string, content: ComponentChildren): VNode {
  const comment = (value: string) => h(Fragment, { UNSTABLE_comment: value } as object);
  return h(Fragment, null, comment(`frsh:${kind}:${text}`), content, comment(`/frsh:${kind}`));
}

/** Props of all islands of the page in wire form. */
export function encodeIslandProps(): string {
  return encodeProps(
    requireRenderState().islandProps,
    (value) => isValidElement(value) && value.type === Slot ? (value.props as SlotProps).id : null,
  );
}

/** Templates with the slots that their islands did not render. */
export function unusedSlots(): ComponentChildren {
  return requireRenderState().slots.map((content, id) =>
    content && h("template", { id: `frsh-slot-${id}` }, content as ComponentChildren)
  );
}
