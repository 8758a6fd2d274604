import { type ComponentType, h, render, type VNode } from "preact";
import { decodeProps } from "../props/decode.ts";
import { findMarkers, hideMarkers } from "./markers.ts";
import { rangeRoot } from "./range_root.ts";
import { type MakeIsland, slotContent } from "./slots.ts";

// deno-lint-ignore no-explicit-any
type IslandComponent = ComponentType<any>;

/** A slot in decoded props, before its content is known. */
class PendingSlot {
  constructor(readonly id: number) {}
}

/**
 * Hydrates the page's islands, each in its own task, so that a slow one does not delay the others.
 * `encodedProps` has the props of all islands, so that shared signals stay shared.
 */
export function boot(components: Record<string, IslandComponent>, encodedProps: string): void {
  const { islands, slots } = findMarkers(document.body);
  const allProps = decodeProps(encodedProps, (id) => new PendingSlot(id)) as {
    children?: unknown;
  }[];

  const makeIsland: MakeIsland = ({ name, index, key }): VNode => {
    const component = components[name];
    if (component === undefined) throw new Error(`There is no island named "${name}"`);
    const props = { ...allProps[index], ...key !== undefined && { key } };
    if (props.children instanceof PendingSlot) {
      props.children = slotContent(props.children.id, { slots, makeIsland });
    }
    return h(component, props) as VNode;
  };

  for (const island of islands.map(hideMarkers)) {
    setTimeout(() => render(makeIsland(island), rangeRoot(island)), 0);
  }
}
