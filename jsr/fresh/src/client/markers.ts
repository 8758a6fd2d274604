import { notInThisBuild } from "../not_in_this_build.ts";

/** A run of sibling nodes between two others, which are not part of it. */
export interface Range {
  start: ChildNode;
  end: ChildNode;
}

interface CommentRange extends Range {
  start: Comment;
  end: Comment;
}

/** Where an island's HTML is, and which of the page's props it was rendered with. */
export interface IslandRange extends Range {
  name: string;
  index: number;
  key: string | undefined;
}

/** The islands of a page that are not inside other islands, and all slots by id. */
export interface Markers {
  islands: IslandRange[];
  slots: Map<number, Range>;
}

/** Reads the comments that the server left around islands and slots. */
export function findMarkers(root: Node): Markers {
  const markers: Markers = { islands: [], slots: new Map() };
  const open: Comment[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  while (walker.nextNode()) {
    const comment = walker.currentNode as Comment;
    if (comment.data.startsWith("frsh:")) open.push(comment);
    if (!comment.data.startsWith("/frsh:")) continue;
    const start = open.pop();
    if (start !== undefined) addRange(markers, { start, end: comment }, open);
  }
  return markers;
}

function addRange(markers: Markers, range: CommentRange, outer: Comment[]): void {
  const island = readIsland(range);
  if (range.start.parentNode !== range.end.parentNode) {
    console.error(
      `The markers of "${range.start.data}" have different parents: the browser has moved them, ` +
        `because the HTML around them is nested in a way that HTML does not allow`,
    );
  } else if (island === null) {
    const [, , id] = range.start.data.split(":");
    markers.slots.set(Number(id), range);
  } else if (!outer.some((comment) => comment.data.startsWith("frsh:island:"))) {
    markers.islands.push(island);
  }
}

/** Null when the range is a slot. */
export function readIsland({ start, end }: CommentRange): IslandRange | null {
  const [, kind, name = "", index, key] = start.data.split(":");
  if (kind === "slot") return null;
  if (kind !== "island") notInThisBuild(`The marker "${kind}"`);
  return { start, end, name, index: Number(index), key: key || undefined };
}

/**
 * Empty texts in place of the comments: preact passes over comments as it looks for the place to
 * insert at, and would go on into the island that comes next.
 */
export function hideMarkers<T extends Range>(range: T): T {
  const [start, end] = [new Text(""), new Text("")];
  range.start.replaceWith(start);
  range.end.replaceWith(end);
  return { ...range, start, end };
}
