/**
 * `deno task test:area billing widget`: runs the tests of some areas only, while you work on them.
 *
 * An area is a folder of `lib/`, a folder at the top, or a word in the names of whole-app tests. Files
 * that must run alone do so, as they do in the gate.
 */
const ALONE = /_alone_test\.tsx?$/;

/** The test files of the areas, in the order of their paths: a folder's own, and `tests/*area*`. */
export function testsOfAreas(files: string[], areas: string[]): string[] {
  return files
    .filter((file) => /_test\.tsx?$/.test(file))
    .filter((file) => areas.some((area) => isOfArea(file, area)))
    .sort();
}

function isOfArea(file: string, area: string): boolean {
  if (file.startsWith(`lib/${area}/`) || file.startsWith(`${area}/`)) return true;
  return file.startsWith("tests/") && file.slice("tests/".length).includes(area);
}

async function listFiles(folder: string): Promise<string[]> {
  const skipped = new Set(["node_modules", "_fresh", ".git", ".data"]);
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder || ".")) {
    if (isDirectory && skipped.has(name)) continue;
    if (isDirectory) found.push(...await listFiles(`${folder}${name}/`));
    else found.push(folder + name);
  }
  return found;
}

async function runTests(files: string[], options: string[]): Promise<boolean> {
  if (files.length === 0) return true;
  const args = ["test", "-A", "--no-check", ...options, ...files];
  const { success } = await new Deno.Command(Deno.execPath(), { args }).spawn().status;
  return success;
}

if (import.meta.main) {
  Deno.chdir(`${import.meta.dirname}/..`);
  const files = testsOfAreas(await listFiles(""), Deno.args);
  if (files.length === 0) {
    console.error("usage: deno task test:area <area>…, such as billing, widget or sign_in");
    Deno.exit(2);
  }
  const alone = await runTests(files.filter((file) => ALONE.test(file)), []);
  const rest = await runTests(files.filter((file) => !ALONE.test(file)), ["--parallel"]);
  Deno.exit(alone && rest ? 0 : 1);
}
