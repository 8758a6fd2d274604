import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

/** Files of a group. More save more, but the last groups of a run then keep one core waiting. */
const GROUP_SIZE = 12;
/** Tests that start browsers, processes or floods. They begin first, so that none is the last one. */
const SLOW =
  /workers_test|rolling_|previous_release|older_deno|python|openapi_|embed_backends|deploy_test|browser|kill|fuzz|hostile|examples|crash|fleet|content_policy|journey|npm_/;
const SLOW_GROUP_SIZE = 3;

const SKIPPED = new Set(["node_modules", "_fresh", "dist", ".git", ".data"]);

/** Files that change or measure the whole process, such as its memory. */
export const ALONE = /_alone_test\.tsx?$/;

/** The project's test files, below the working directory, in the order of their paths. */
export async function listTests(folder = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder || ".")) {
    if (isDirectory && SKIPPED.has(name)) continue;
    if (isDirectory) found.push(...await listTests(`${folder}${name}/`));
    else if (/_test\.tsx?$/.test(name)) found.push(folder + name);
  }
  return found.sort();
}

/** Divides test files into groups of neighbours, the slow ones first. */
export function groupTests(files: readonly string[]): string[][] {
  const [slow, quick] = [files.filter((f) => SLOW.test(f)), files.filter((f) => !SLOW.test(f))];
  return [...inGroups(slow, SLOW_GROUP_SIZE), ...inGroups(quick, GROUP_SIZE)];
}

function inGroups(files: readonly string[], size: number): string[][] {
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, n) => files.slice(n * size, (n + 1) * size));
}

/** Runs test files one after the other, each with its own modules. */
export async function runAlone(files: readonly string[]): Promise<boolean> {
  return files.length === 0 || await runDenoTest(files);
}

/**
 * Runs test files in parallel, a group of them in each thread, which loads the service's modules and
 * builds its browser code once.
 */
export async function runGroups(files: readonly string[]): Promise<boolean> {
  if (files.length === 0) return true;
  const dir = await Deno.makeTempDir({ prefix: "tests-" });
  try {
    const modules = groupTests(files).map((group, n) => ({
      path: `${dir}/${String(n).padStart(3, "0")}_test.ts`,
      code: group.map((file) => `import "${pathToFileURL(resolve(file))}";\n`).join(""),
    }));
    for (const { path, code } of modules) await Deno.writeTextFile(path, code);
    return await runDenoTest(["--parallel", ...modules.map(({ path }) => path)]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function runDenoTest(words: readonly string[]): Promise<boolean> {
  const args = ["test", "-A", "--no-check", ...words];
  const { success } = await new Deno.Command(Deno.execPath(), { args }).spawn().status;
  return success;
}
