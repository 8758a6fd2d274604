import { type ComponentChildren, type ComponentType, Fragment, h, isValidElement } from "preact";
import type { VNode } from "preact";
import { Signal } from "@preact/signals";
import type { Island } from "../build_cache.ts";
import { encodeProps } from "../props/encode.ts";
import type { SlotRef } from "../props/format.ts";
import { requireRenderState } from "./state.ts";

interface BoundaryProps {
  island: Island;
  islandKey: unknown;
  given: Record<string, unknown>;
}

/** The renderer sets `__` to a node's parent before it asks the hooks. */
type LinkedVNode = VNode & { __?: LinkedVNode | null };

/** Replaces an island's node by its boundary, unless it is part of another island. */
export function markIsland(vnode: VNode, island: Island): void {
  if (isPartOfIsland(vnode)) return;
  const props: BoundaryProps = {
    island,
    islandKey: vnode.key,
    given: vnode.props as Record<string, unknown>,
  };
  vnode.type = IslandBoundary as ComponentType;
  vnode.props = props as unknown as typeof vnode.props;
}

/** Content of a slot comes from the page, so an island in it stands for itself. */
function isPartOfIsland(vnode: LinkedVNode): boolean {
  for (let parent = vnode.__; parent; parent = parent.__) {
    if (parent.type === IslandBoundary as unknown) return true;
    if (parent.type === Slot as unknown) return false;
  }
  return false;
}

/** Renders an island between two comments, by which the browser finds it. */
function IslandBoundary({ island, islandKey, given }: BoundaryProps): VNode {
  const { islands, islandProps, slots } = requireRenderState();
  const props = { ...given };
  for (const [name, value] of Object.entries(given)) {
    if (!isSlotContent(name, value)) continue;
    const id = slots.push({ name, content: value }) - 1;
    props[name] = h(Slot, { id, name }, value as ComponentChildren);
  }
  islands.add(island);
  const index = islandProps.push(props) - 1;
  const key = String(islandKey ?? "").replaceAll(":", "_");
  return between(
    "island",
    `${island.name}:${index}:${key}`,
    h(island.fn, props),
  );
}

function isSlotContent(name: string, value: unknown): boolean {
  if (value instanceof Signal) return false;
  return name === "children" ? value !== undefined && value !== null : isValidElement(value);
}

interface SlotProps extends SlotRef {
  children?: ComponentChildren;
}

function Slot({ id, name, children }: SlotProps): VNode {
  requireRenderState().slots[id] = null;
  return between("slot", `${id}:${name}`, children);
}

function between(
  kind: string,
  text: string,
  content: ComponentChildren,
): VNode {
  const comment = (value: string) => h(Fragment, { UNSTABLE_comment: value } as object);
  return h(
    Fragment,
    null,
    comment(`frsh:${kind}:${text}`),
    content,
    comment(`/frsh:${kind}`),
  );
}

/** Props of all islands of the page in wire form. */
export function encodeIslandProps(): string {
  return encodeProps(requireRenderState().islandProps, (value) => {
    if (!isValidElement(value) || value.type !== Slot) return null;
    const { id, name } = value.props as SlotProps;
    return { id, name };
  });
}

/** Slots that their islands did not render wait in templates. */
export function unusedSlots(): ComponentChildren {
  return requireRenderState().slots.map((slot, id) =>
    slot &&
    h(
      "template",
      { id: `frsh-${id}-${slot.name}` },
      slot.content as ComponentChildren,
    )
  );
}
