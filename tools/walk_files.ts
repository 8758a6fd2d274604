/** Paths of all files below `dir`, relative to `root`; none if the folder does not exist. */
export async function walkFiles(root: string, dir: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(`${root}/${dir}`)).catch(() => []);
  const paths = await Promise.all(entries.map((entry) => {
    const path = `${dir}/${entry.name}`;
    return entry.isDirectory ? walkFiles(root, path) : [path];
  }));
  return paths.flat();
}
