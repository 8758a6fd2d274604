import { assert, assertEquals } from "@std/assert";
import { arePackagesCurrent, markPruned } from "./install_packages.ts";
import { prunePackages } from "./prune_packages.ts";
import { walkFiles } from "./walk_files.ts";

const FILES = {
  "zod@4.0.0/node_modules/zod/index.js": "export {};",
  "zod@4.0.0/node_modules/zod/index.d.ts": "12345",
  "zod@4.0.0/node_modules/zod/index.js.map": "67890",
  "zod@4.0.0/node_modules/zod/map.ts": "export {};",
  "eld@2.1.0/node_modules/eld/src/ngrams/large.js": "12345",
  "eld@2.1.0/node_modules/eld/src/ngrams/extrasmall.js": "12345",
  "esbuild@0.28.2/node_modules/esbuild/main.js": "1234567890",
  "@esbuild+linux-x64@0.28.2/node_modules/@esbuild/linux-x64/bin/esbuild": "1234567890",
};

Deno.test("prunePackages: the bundler, maps and types go, and all that runs stays", async () => {
  const root = await Deno.makeTempDir();
  try {
    for (const [path, text] of Object.entries(FILES)) {
      const file = `${root}/node_modules/.deno/${path}`;
      await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(file, text);
    }
    await Deno.symlink(".deno/zod@4.0.0/node_modules/zod", `${root}/node_modules/zod`);
    await Deno.symlink(".deno/esbuild@0.28.2/node_modules/esbuild", `${root}/node_modules/esbuild`);
    assertEquals(await prunePackages(root), 35);
    const left = await walkFiles(root, "node_modules/.deno");
    assertEquals(left.map((path) => path.split("/").at(-1)).sort(), [
      "extrasmall.js",
      "index.js",
      "map.ts",
    ]);
    assert((await Deno.stat(`${root}/node_modules/zod/index.js`)).isFile);
    const link = await Deno.lstat(`${root}/node_modules/esbuild`).catch(() => undefined);
    assertEquals(link, undefined);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});

Deno.test("markPruned: what a start needs is there without the packages that only builds need, until the manifest changes", async () => {
  const root = await Deno.makeTempDir();
  try {
    const manifest = { imports: { esbuild: "npm:esbuild@0.28.2" } };
    await Deno.writeTextFile(`${root}/deno.json`, JSON.stringify(manifest));
    await Deno.writeTextFile(`${root}/deno.lock`, "{}");
    assertEquals(await arePackagesCurrent(root), false);
    await markPruned(root);
    assertEquals(await arePackagesCurrent(root), true);
    await Deno.writeTextFile(`${root}/deno.lock`, '{"npm":{}}');
    assertEquals(await arePackagesCurrent(root), false);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
