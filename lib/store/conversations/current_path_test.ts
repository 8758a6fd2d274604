import { assert, assertEquals } from "@std/assert";
import type { Branch } from "./conversation_record.ts";
import { branchesWithNext, currentPath, isOnPath, parentOfNext } from "./current_path.ts";

/** Deterministic numbers from 0 to below 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

/** Runs by number, as a record keeps them. */
class Tree {
  next = 0;
  branches: Branch[] = [];

  add(replaced: number | undefined): void {
    this.branches = branchesWithNext(this, replaced);
    this.next++;
  }

  path(): number[] {
    const path = currentPath(this);
    return Array.from({ length: this.next }, (_, n) => n).filter((n) => isOnPath(path, n));
  }
}

/** The plain model: each run knows the runs before it. */
function addTo(paths: number[][], replaced: number | undefined): void {
  const before = replaced === undefined ? paths.at(-1) ?? [] : paths[replaced]!.slice(0, -1);
  paths.push([...before, paths.length]);
}

Deno.test("currentPath: a run that replaces another cuts the path before it and appends itself", () => {
  const tree = new Tree();
  const steps: [replaced: number | undefined, path: number[]][] = [
    [undefined, [0]],
    [undefined, [0, 1]],
    [undefined, [0, 1, 2]],
    [1, [0, 3]],
    [undefined, [0, 3, 4]],
    [4, [0, 3, 5]],
    [0, [6]],
    [undefined, [6, 7]],
    // Outside the path: a page that still shows the earlier branch.
    [2, [0, 1, 8]],
    [8, [0, 1, 9]],
  ];
  for (const [replaced, path] of steps) {
    tree.add(replaced);
    assertEquals(tree.path(), path);
  }
});

Deno.test("currentPath: equals a plain model for random trees", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomNumbers(seed);
    const share = random();
    const tree = new Tree();
    const model: number[][] = [];
    for (let n = 0; n < 100; n++) {
      const replaces = n > 0 && random() < share;
      // Mostly one of the last runs, as people do.
      const back = Math.floor((random() < 0.7 ? 4 : n) * random());
      const replaced = replaces ? Math.max(0, n - 1 - back) : undefined;
      const parent = replaced === undefined ? n - 1 : model[replaced]!.at(-2) ?? -1;
      assertEquals(parentOfNext(tree, replaced), parent);
      tree.add(replaced);
      addTo(model, replaced);
      assertEquals(tree.path(), model.at(-1), `seed ${seed}, run ${n}`);
    }
  }
});

Deno.test("currentPath: beyond 128 branches the path stays exact while answers are asked for again", () => {
  const tree = new Tree();
  const model: number[][] = [];
  const add = (replaced?: number) => {
    tree.add(replaced);
    addTo(model, replaced);
  };
  for (let n = 0; n < 5; n++) add();
  for (let n = 5; n < 500; n++) add(n - 1);
  add();
  assertEquals(tree.branches.length <= 128, true);
  assertEquals(tree.path(), model.at(-1));
});

Deno.test("currentPath: with more than 128 branches on the path itself, only the oldest are forgotten", () => {
  const tree = new Tree();
  for (let n = 0; n < 200; n++) {
    tree.add(undefined);
    tree.add(tree.next - 1);
  }
  assertEquals(tree.branches.length, 128);
  const path = tree.path();
  assertEquals(path.slice(-127), Array.from({ length: 127 }, (_, i) => 399 - 2 * (126 - i)));
  assert(path.includes(0), "what is forgotten is shown as current");
});
