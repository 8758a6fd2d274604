/**
 * The last step of a build on Deno Deploy or, with the argument `image`, of an image: removes from
 * `node_modules` what a running service does not read. A working copy needs everything.
 */
import { markPruned } from "./install_packages.ts";

/** The bundler and the compressor; only builds use them. */
const BUILD_PACKAGES = ["esbuild", "esbuild-wasm", "@esbuild", "@gfx", "base64-js"];
/** Source maps and type declarations: Deno runs packages without them. */
const UNUSED_FILE = /\.(map|d\.ts|d\.mts|d\.cts)$/;

/** Data that nothing imports: sources of a list, and larger models of the language detector. */
const UNUSED_DATA =
  /\/(fxa-common-password-list\/source_data\/.+|eld\/src\/ngrams\/(large|medium|small)\.js)$/;

/** Returns the number of bytes removed under `root`. */
export async function prunePackages(root: string): Promise<number> {
  return await prune(`${root}/node_modules`, false);
}

async function prune(path: string, whole: boolean): Promise<number> {
  let bytes = 0;
  for await (const entry of Deno.readDir(path)) {
    const child = `${path}/${entry.name}`;
    const unused = whole || isUnused(entry) || UNUSED_DATA.test(child);
    if (entry.isDirectory) bytes += await prune(child, unused);
    else if (entry.isFile && unused) bytes += (await Deno.lstat(child)).size;
    if (unused) await Deno.remove(child);
  }
  return bytes;
}

/** Package folders are named `esbuild`, `@esbuild+linux-x64@0.28.2` or, as links, `linux-x64`. */
function isUnused({ name, isFile }: Deno.DirEntry): boolean {
  if (isFile) return UNUSED_FILE.test(name);
  return BUILD_PACKAGES.some((one) =>
    name === one || name.startsWith(`${one}@`) || name.startsWith(`${one}+`)
  );
}

if (import.meta.main) {
  if (!Deno.env.get("DENO_DEPLOY") && !Deno.args.includes("image")) {
    console.error(
      "packages are pruned by a build on Deno Deploy (DENO_DEPLOY is not set), or for an image " +
        "(with the argument image)",
    );
    Deno.exit(1);
  }
  const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");
  const bytes = await prunePackages(root);
  await markPruned(root);
  console.log(`removed ${(bytes / 1e6).toFixed(1)} MB that only builds need from node_modules`);
}
