/**
 * `deno task test:area billing widget`: runs the tests of some areas only, while you work on them.
 *
 * An area is a folder of `lib/`, a folder at the top, or a word in the names of whole-app tests. Files
 * that must run alone do so, as they do in the gate.
 */
import { ALONE, listTests, runAlone, runGroups } from "./test_groups.ts";

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

if (import.meta.main) {
  Deno.chdir(`${import.meta.dirname}/..`);
  const files = testsOfAreas(await listTests(), Deno.args);
  if (files.length === 0) {
    console.error("usage: deno task test:area <area>…, such as billing, widget or sign_in");
    Deno.exit(2);
  }
  const alone = await runAlone(files.filter((file) => ALONE.test(file)));
  const rest = await runGroups(files.filter((file) => !ALONE.test(file)));
  Deno.exit(alone && rest ? 0 : 1);
}
