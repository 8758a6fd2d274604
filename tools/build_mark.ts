import { walkFiles } from "./walk_files.ts";

/** The inputs of a build. Server code is not built. */
const INPUTS = [
  "routes",
  "islands",
  "components",
  "static",
  "widget",
  "lib/dashboard",
  "lib/schemas",
  "jsr/fresh/src",
];
const FILES = [
  "dev.ts",
  "app.ts",
  "deno.json",
  "deno.lock",
  "tools/bundle_widget.ts",
  "tools/compress_script.ts",
];
const MARK = "_fresh/build_mark.txt";

/** Records the inputs of the build under `root`. */
export async function writeBuildMark(root: string): Promise<void> {
  await Deno.writeTextFile(`${root}/${MARK}`, await fingerprint(root));
}

/** Whether `_fresh/` was built from the current inputs. */
export async function isBuildCurrent(root: string): Promise<boolean> {
  const mark = await Deno.readTextFile(`${root}/${MARK}`).catch(() => undefined);
  return mark !== undefined && mark === await fingerprint(root);
}

/**
 * SHA-256 of each input by path. Modification times would not do: image layers truncate them, checkouts
 * change them, and a build on a read-only tree cannot be repeated.
 */
async function fingerprint(root: string): Promise<string> {
  const nested = await Promise.all(INPUTS.map((dir) => walkFiles(root, dir)));
  const paths = [...nested.flat(), ...FILES].sort();
  const lines = await Promise.all(paths.map(async (path) => {
    const bytes = await Deno.readFile(`${root}/${path}`).catch(() => undefined);
    return bytes && `${path} ${await sha256(bytes)}`;
  }));
  return lines.filter((line) => line !== undefined).join("\n");
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
