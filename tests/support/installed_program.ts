/** True if a program is on the `PATH`. */
export function isInstalled(program: string): boolean {
  const path = Deno.env.get("PATH") ?? "";
  return path.split(":").some((folder) => {
    try {
      return Deno.statSync(`${folder}/${program}`).isFile;
    } catch {
      return false;
    }
  });
}
