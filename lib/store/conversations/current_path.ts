import type { Branch, Conversation } from "./conversation_record.ts";

/** Older branches than these are forgotten, so that a conversation's record stays small. */
const MAX_BRANCHES = 128;

/** The numbers of runs that follow each other, as ranges with both ends, in order. */
export type RunPath = readonly (readonly [from: number, to: number])[];

/** The part of a conversation that says how its runs follow each other. */
type Tree = Pick<Conversation, "next" | "branches">;

/**
 * The runs of a conversation are a tree, stored in the order they ended. A run follows the one that ended
 * before it, or, if it replaces a run, the one that the replaced run follows. This is the way to the last
 * run, without the runs that were replaced and what followed those.
 */
export function currentPath({ next, branches }: Tree): RunPath {
  return pathTo(next - 1, branches);
}

/** The way from the first run to number `tip`. */
export function pathTo(tip: number, branches: readonly Branch[] = []): RunPath {
  const path: [from: number, to: number][] = [];
  for (let to = tip; to >= 0;) {
    const [from, parent] = branches.findLast(([n]) => n <= to) ?? [0, -1];
    path.unshift([from, to]);
    to = Math.min(parent, from - 1);
  }
  return path;
}

export function isOnPath(path: RunPath, n: number): boolean {
  return path.some(([from, to]) => from <= n && n <= to);
}

/** The run that a new run follows; -1 if none. `replaced` is the number of the run that it replaces. */
export function parentOfNext({ next, branches = [] }: Tree, replaced: number | undefined): number {
  if (replaced === undefined || replaced >= next) return next - 1;
  return branches.find(([n]) => n === replaced)?.[1] ?? replaced - 1;
}

/** The conversation's branches once a run that replaces number `replaced` is added. */
export function branchesWithNext(tree: Tree, replaced: number | undefined): Branch[] {
  const { next, branches = [] } = tree;
  const parent = parentOfNext(tree, replaced);
  if (parent === next - 1) return branches;
  const all: Branch[] = [...branches, [next, parent]];
  if (all.length <= MAX_BRANCHES) return all;
  // Those outside the path only matter if one of their runs is replaced again.
  const path = pathTo(next, all);
  const outside = all.findIndex(([n]) => !isOnPath(path, n));
  return all.toSpliced(Math.max(0, outside), 1);
}
