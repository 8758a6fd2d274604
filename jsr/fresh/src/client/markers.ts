/** A run of sibling nodes between two others, which are not part of it. */
export interface Range {
  start: ChildNode;
  end: ChildNode;
}

/** The name of an island, the index of its props and its key. */
export interface IslandMark {
  name: string;
  index: number;
  key: string | undefined;
}

/** The islands of a page that are not inside other islands, and all slots by id. */
export interface Markers {
  islands: (IslandMark & Range)[];
  slots: Map<number, Range>;
}

/** Reads the comments that the server left around islands and slots. */
export function findMarkers(root: Node): Markers {
  const markers: Markers = { islands: [], slots: new Map() };
  const open: Comment[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  while (walker.nextNode()) {
    const end = walker.currentNode as Comment;
    if (end.data.startsWith("frsh:")) open.push(end);
    const start = end.data.startsWith("/frsh:") ? open.pop() : undefined;
    if (start === undefined) continue;
    const island = readIsland(start);
    if (start.parentNode !== end.parentNode) {
      console.error(`The browser has moved "${start.data}": HTML does not allow such nesting`);
    } else if (island !== null) {
      const isInner = open.some((comment) => readIsland(comment) !== null);
      if (!isInner) markers.islands.push({ ...island, start, end });
    } else if (start.data.startsWith("frsh:slot:")) {
      markers.slots.set(Number(start.data.split(":")[2]), { start, end });
    }
  }
  return markers;
}

/** Null if the comment does not start an island. */
export function readIsland({ data }: Comment): IslandMark | null {
  const [, kind, name = "", index, key] = data.split(":");
  return kind === "island" ? { name, index: Number(index), key } : null;
}

/** The key of a component in a slot; null if the comment does not start one. */
export function readKey({ data }: Comment): string | null {
  const [, kind, key = ""] = data.split(":");
  return kind === "key" ? key : null;
}

/**
 * Replaces the comments by empty text nodes: preact skips comments when it looks for the insertion
 * point, and would continue into the next island.
 */
export function hideMarkers<T extends Range>(range: T): T {
  const [start, end] = [new Text(""), new Text("")];
  range.start.replaceWith(start);
  range.end.replaceWith(end);
  return { ...range, start, end };
}
