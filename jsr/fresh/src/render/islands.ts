import { type ComponentChildren, type ComponentType, Fragment, h, isValidElement } from "preact";
import type { VNode } from "preact";
import type { Island } from "../build_cache.ts";
import { encodeProps } from "../props/encode.ts";
import { requireRenderState } from "./state.ts";

interface BoundaryProps {
  island: Island;
  given: Record<string, unknown>;
}

/** The renderer sets `__` to a node's parent before it asks the hooks. */
type LinkedVNode = VNode & { __?: LinkedVNode | null };

/** Replaces an island's node by its boundary, unless it is part of another island. */
export function markIsland(vnode: VNode, island: Island): void {
  if (isPartOfIsland(vnode)) return;
  const props = { island, given: vnode.props };
  vnode.type = IslandBoundary as ComponentType;
  vnode.props = props as unknown as typeof vnode.props;
}

/** Content of a slot comes from the page, so an island in it stands for itself. */
export function isPartOfIsland(vnode: LinkedVNode): boolean {
  for (let parent = vnode.__; parent; parent = parent.__) {
    if (parent.type === IslandBoundary as unknown) return true;
    if (parent.type === Slot as unknown) return false;
  }
  return false;
}

/** Renders an island between two comments, by which the browser finds it. */
function IslandBoundary({ island, given }: BoundaryProps): VNode {
  const { islands, islandProps, slots } = requireRenderState();
  const props = { ...given };
  if (given.children !== undefined && given.children !== null) {
    const id = slots.push(given.children) - 1;
    props.children = h(Slot, { id }, given.children as ComponentChildren);
  }
  islands.add(island);
  const index = islandProps.push(props) - 1;
  return between("island", `${island.name}:${index}`, h(island.fn, props));
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

/** Slots that their islands did not render wait in templates. */
export function unusedSlots(): ComponentChildren {
  return requireRenderState().slots.map((content, id) =>
    content && h("template", { id: `frsh-slot-${id}` }, content as ComponentChildren)
  );
}
