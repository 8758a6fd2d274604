import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A project on disk, removed when it goes out of scope. */
export interface TempProject extends AsyncDisposable {
  root: string;
}

/**
 * Writes files (contents by path) to a new folder inside the repository: there its modules find the
 * import map and the npm packages.
 */
export async function tempProject(files: Record<string, string>): Promise<TempProject> {
  const parent = fileURLToPath(new URL("../../../../.data/", import.meta.url));
  await Deno.mkdir(parent, { recursive: true });
  const root = await Deno.makeTempDir({ dir: parent, prefix: "fresh_test_" });
  for (const [path, content] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(root, path)), { recursive: true });
    await Deno.writeTextFile(join(root, path), content);
  }
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}
