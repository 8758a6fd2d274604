import type { ContainerNode } from "preact";
import type { Range } from "./markers.ts";

/**
 * A fake parent node for rendering an island, which has no wrapper element and shares its parent with
 * its siblings. Implements the part of `Node` that preact uses.
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
