import { dirname, resolve } from "node:path";
import { makePrivateDir, makePrivateFile } from "./data_dir.ts";

/**
 * The one path of the store's file, whatever links lead to it: two processes that name it by two
 * ways must find one lock. Makes it, private, where there is none.
 */
export async function resolveStoreFile(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await makePrivateDir(dirname(resolve(path)));
  await makePrivateFile(path);
  return await Deno.realPath(path);
}
