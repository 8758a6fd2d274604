import { type ComponentType, h, render, type VNode } from "preact";
import { decodeProps } from "../props/decode.ts";
import type { SlotRef } from "../props/format.ts";
import { findMarkers, hideMarkers, type IslandRange } from "./markers.ts";
import { rangeRoot } from "./range_root.ts";
import { type MakeIsland, slotContent } from "./slots.ts";

// deno-lint-ignore no-explicit-any
type IslandComponent = ComponentType<any>;

type Props = Record<string, unknown>;

/** A slot among decoded props, until its content is known. */
class PendingSlot {
  constructor(readonly ref: SlotRef) {}
}

/**
 * Brings the page's islands to life, each in its own task, so that a long one holds up nothing else.
 * `encodedProps` has the props of all of them together: what they share stays shared.
 */
export function boot(components: Record<string, IslandComponent>, encodedProps: string): void {
  const { islands, slots } = findMarkers(document.body);
  const allProps = decodeProps(encodedProps, (ref) => new PendingSlot(ref)) as Props[];

  const makeIsland: MakeIsland = ({ name, index, key }): VNode => {
    const component = components[name];
    const props = { ...allProps[index] };
    if (component === undefined) throw new Error(`There is no island named "${name}"`);
    for (const [prop, value] of Object.entries(props)) {
      if (!(value instanceof PendingSlot)) continue;
      props[prop] = slotContent(value.ref, slots, makeIsland);
    }
    return h(component, key === undefined ? props : { ...props, key }) as VNode;
  };

  for (const island of islands.map(hideMarkers)) schedule(() => start(island, makeIsland));
}

function start(island: IslandRange, makeIsland: MakeIsland): void {
  const vnode = makeIsland(island);
  render(vnode, rangeRoot(island));
}

function schedule(task: () => void): void {
  const { scheduler } = globalThis as { scheduler?: { postTask(task: () => void): unknown } };
  if (scheduler === undefined) setTimeout(task, 0);
  else scheduler.postTask(task);
}
