import type { ContainerNode } from "preact";
import type { Range } from "./markers.ts";

/**
 * Stands in for an element that an island could be rendered into: an island has none of its own, it
 * shares its parent with whatever is before and after it. It has as much of `Node` as preact asks for.
 */
export function rangeRoot(range: Range): ContainerNode {
  const parent = range.start.parentNode as Element;
  const root = {
    nodeType: 1,
    parentNode: parent,
    nextSibling: null,
    namespaceURI: parent.namespaceURI,
    ownerDocument: parent.ownerDocument,
    get firstChild() {
      return nodesOf(range)[0] ?? null;
    },
    get childNodes() {
      return nodesOf(range);
    },
    insertBefore: (node: Node, before: Node | null) =>
      parent.insertBefore(node, before ?? range.end),
    appendChild: (node: Node) => parent.insertBefore(node, range.end),
    removeChild: (node: Node) => parent.removeChild(node),
    contains: (node: Node | null) => nodesOf(range).some((each) => each.contains(node)),
  };
  return root as unknown as ContainerNode;
}

export function nodesOf({ start, end }: Range): Node[] {
  const nodes: Node[] = [];
  for (let node = start.nextSibling; node !== null && node !== end; node = node.nextSibling) {
    nodes.push(node);
  }
  return nodes;
}
