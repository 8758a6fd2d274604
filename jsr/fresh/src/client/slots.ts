import { type ComponentChild, Fragment, h, type VNode } from "preact";
import { findMarkers, type IslandMark, type Range, readIsland, readKey } from "./markers.ts";
import { nodesOf } from "./range_root.ts";

/** Makes the node of an island that is found in a slot. */
export type MakeIsland = (island: IslandMark) => VNode;

/** The slots of the page and how to make the islands in them. */
export interface SlotParts {
  slots: Map<number, Range>;
  makeIsland: MakeIsland;
}

/**
 * Turns a slot's HTML into nodes that an island can render. One that the island did not show on the
 * server is in a template. Its markers go away: left in place, they would come between the island's
 * own nodes.
 */
export function slotContent(id: number, { slots, makeIsland }: SlotParts): VNode {
  const range = slots.get(id);
  const nodes = range === undefined ? templateNodes(id, slots) : nodesOf(range);
  const children = toChildren(nodes, makeIsland);
  range?.start.remove();
  range?.end.remove();
  return h(Fragment, null, children);
}

/** A template is not part of the document, so its slots have not been found yet. */
function templateNodes(id: number, slots: Map<number, Range>): Node[] {
  const template = document.getElementById(`frsh-slot-${id}`);
  if (!(template instanceof HTMLTemplateElement)) return [];
  for (const [inner, range] of findMarkers(template.content).slots) slots.set(inner, range);
  return [...template.content.childNodes];
}

function toChildren(nodes: Node[], makeIsland: MakeIsland): ComponentChild[] {
  const children: ComponentChild[] = [];
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i];
    if (node instanceof Text) children.push(node.data);
    if (node instanceof Element) children.push(toElement(node, makeIsland));
    if (!(node instanceof Comment) || !node.data.startsWith("frsh:")) continue;
    const end = endOf(nodes, i);
    const island = readIsland(node);
    const key = readKey(node);
    if (island !== null) {
      children.push(makeIsland(island));
    } else {
      const inner = toChildren(nodes.slice(i + 1, end), makeIsland);
      children.push(...key === null ? inner : [h(Fragment, { key }, inner)]);
    }
    node.remove();
    (nodes[end] as Comment).remove();
    i = end;
  }
  return children;
}

/** Index of the comment that closes the one at `start`, among its siblings. */
function endOf(nodes: Node[], start: number): number {
  let depth = 0;
  return nodes.findIndex((node, i) => {
    if (i < start || !(node instanceof Comment)) return false;
    if (node.data.startsWith("frsh:")) depth++;
    return node.data.startsWith("/frsh:") && --depth === 0;
  });
}

function toElement(element: Element, makeIsland: MakeIsland): VNode {
  const props: Record<string, unknown> = {};
  for (const { name, value } of element.attributes) {
    // The attribute of a boolean property counts by being there, whatever its value.
    const property: unknown = (element as unknown as Record<string, unknown>)[name];
    props[name] = typeof property === "boolean" ? true : value;
  }
  const raw = element.localName === "script" || element.localName === "style";
  const children = raw ? element.textContent : toChildren([...element.childNodes], makeIsland);
  return h(element.localName, props, children) as VNode;
}
