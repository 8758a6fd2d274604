/** Every route file by path, without Fresh's special files (`_app`, `_middleware`, …). */
export function routeFiles(
  folder = new URL("../../routes/", import.meta.url),
  above = "",
): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    if (name.startsWith("_")) return [];
    if (!isDirectory) return [above + name];
    return routeFiles(new URL(`${encodeURIComponent(name)}/`, folder), `${above}${name}/`);
  });
}

/** The path of a route file, with the given parameters or arbitrary ids. */
export function addressOf(file: string, params: Record<string, string> = {}): string {
  const path = file.replace(/\.tsx?$/, "").replace(/\([^)]*\)\//g, "").replace(/\/?index$/, "");
  return `/${path.replace(/\[([^\]]+)\]/g, (_, name) => params[name] ?? crypto.randomUUID())}`;
}

/** The pattern of a route file, as Fresh makes it from the file's name. */
export function patternOf(file: string): string {
  return addressOf(file.replace(/\[([^\]]+)\]/g, ":$1"));
}
