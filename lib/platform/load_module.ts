/**
 * Imports a module that most processes need late or never. The error of a failure names `what`; the next
 * use tries again. Write the import with a literal, as `() => import("./x.ts")`: Deno then reads our files
 * at the start, and those of packages again after a failure, such as a lack of file descriptors. It
 * remembers that it could not read a file whose name it learns later (all measured).
 */
export async function loadModule<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(`cannot load ${what}`, { cause });
  }
}
