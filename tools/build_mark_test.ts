import { assertEquals } from "@std/assert";
import { isBuildCurrent, writeBuildMark } from "./build_mark.ts";

/** A tree with two inputs and a build made of them. */
async function builtTree(): Promise<string> {
  const root = await Deno.makeTempDir();
  for (const dir of ["_fresh", "routes/deep", "static"]) {
    await Deno.mkdir(`${root}/${dir}`, { recursive: true });
  }
  await Deno.writeTextFile(`${root}/routes/deep/page.tsx`, "one");
  await Deno.writeTextFile(`${root}/dev.ts`, "two");
  await writeBuildMark(root);
  return root;
}

Deno.test("isBuildCurrent: other modification times, as in an image layer, do not outdate a build", async () => {
  const root = await builtTree();
  try {
    await Deno.utime(`${root}/routes/deep/page.tsx`, 1_000_000, 1_000_000);
    await Deno.utime(`${root}/dev.ts`, 1_000_000, 1_000_000);
    assertEquals(await isBuildCurrent(root), true);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("isBuildCurrent: a changed, added or removed input outdates a build", async (t) => {
  const changes: Record<string, (root: string) => Promise<void>> = {
    // Of the same length, within the same millisecond.
    changed: (root) => Deno.writeTextFile(`${root}/routes/deep/page.tsx`, "eno"),
    added: (root) => Deno.writeTextFile(`${root}/static/new.css`, ""),
    removed: (root) => Deno.remove(`${root}/dev.ts`),
  };
  for (const [name, change] of Object.entries(changes)) {
    await t.step(name, async () => {
      const root = await builtTree();
      try {
        assertEquals(await isBuildCurrent(root), true);
        await change(root);
        assertEquals(await isBuildCurrent(root), false);
      } finally {
        await Deno.remove(root, { recursive: true });
      }
    });
  }
});

Deno.test("isBuildCurrent: without a build there is none to be current", async () => {
  const root = await Deno.makeTempDir();
  try {
    assertEquals(await isBuildCurrent(root), false);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
