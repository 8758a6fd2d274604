/** What a build is made of; the server-side code is read as it is and needs no build. */
const INPUTS = ["routes", "islands", "components", "static", "widget", "lib/wire", "jsr/fresh/src"];
const FILES = ["dev.ts", "app.ts", "deno.json", "deno.lock", "tools/bundle_widget.ts"];
const MARK = "_fresh/build_mark.txt";

/** Notes what the build under `root` was made of. */
export async function writeBuildMark(root: string): Promise<void> {
  await Deno.writeTextFile(`${root}/${MARK}`, await fingerprint(root));
}

/** Whether `_fresh/` was built from the files as they are now. */
export async function isBuildCurrent(root: string): Promise<boolean> {
  const mark = await Deno.readTextFile(`${root}/${MARK}`).catch(() => undefined);
  return mark !== undefined && mark === await fingerprint(root);
}

/** Sizes and times of all inputs, by path: enough to see an edit, cheap enough for every start. */
async function fingerprint(root: string): Promise<string> {
  const lines: string[] = [];
  for (const dir of INPUTS) await walk(root, dir, lines);
  for (const file of FILES) await note(root, file, lines);
  return lines.sort().join("\n");
}

async function walk(root: string, dir: string, lines: string[]): Promise<void> {
  const entries = await Array.fromAsync(Deno.readDir(`${root}/${dir}`)).catch(() => []);
  await Promise.all(entries.map((entry) => {
    const path = `${dir}/${entry.name}`;
    return entry.isDirectory ? walk(root, path, lines) : note(root, path, lines);
  }));
}

async function note(root: string, path: string, lines: string[]): Promise<void> {
  const info = await Deno.stat(`${root}/${path}`).catch(() => undefined);
  if (info) lines.push(`${path} ${info.size} ${info.mtime?.getTime() ?? 0}`);
}
