import { assertEquals } from "@std/assert";

/** Requirements of levels 1 and 2 in each chapter of OWASP ASVS 5.0.0. */
const CHAPTER_SIZES = new Map([
  [1, 27],
  [2, 11],
  [3, 19],
  [4, 10],
  [5, 9],
  [6, 35],
  [7, 18],
  [8, 7],
  [9, 7],
  [10, 29],
  [11, 14],
  [12, 9],
  [13, 13],
  [14, 9],
  [15, 13],
  [16, 16],
  [17, 7],
]);

const STATES = ["met", "not applicable", "debt"] as const;

interface Row {
  readonly requirement: string;
  readonly state: string;
  readonly tests: readonly string[];
}

const page = await Deno.readTextFile(new URL("../docs/asvs.md", import.meta.url));

function readRows(markdown: string): Row[] {
  return [...markdown.matchAll(/^\| (\d+\.\d+\.\d+) \|.*$/gm)].map(([line, requirement]) => {
    const cells = line.split(" | ");
    const tests = [...(cells[4] ?? "").matchAll(/`([^`]+)`/g)].map(([, path]) => path!);
    return { requirement: requirement!, state: cells[2] ?? "", tests };
  });
}

const rows = readRows(page);

Deno.test("docs/asvs.md lists every requirement of ASVS 5.0 level 2 once, in one of three states", () => {
  const requirements = rows.map(({ requirement }) => requirement);
  assertEquals(new Set(requirements).size, requirements.length);
  const sizes = Map.groupBy(requirements, (requirement) => Number(requirement.split(".")[0]));
  assertEquals(new Map([...sizes].map(([chapter, all]) => [chapter, all.length])), CHAPTER_SIZES);
  assertEquals(rows.filter(({ state }) => !STATES.some((known) => known === state)), []);
});

Deno.test("docs/asvs.md counts its states correctly", () => {
  const count = (state: string) => rows.filter((row) => row.state === state).length;
  const [met, notApplicable, debt] = STATES.map(count);
  const summary = `**${met} met, ${notApplicable} not applicable, ${debt} debts.**`;
  assertEquals(page.includes(summary), true, summary);
});

Deno.test("docs/asvs.md names a test for each requirement that is met, and every named test exists", async () => {
  const untested = rows.filter(({ state, tests }) => state === "met" && tests.length === 0);
  assertEquals(untested, []);
  const missing: string[] = [];
  for (const path of new Set(rows.flatMap(({ tests }) => tests))) {
    const found = await Deno.stat(new URL(`../${path}`, import.meta.url)).catch(() => undefined);
    if (!/_test\.tsx?$/.test(path) || !found?.isFile) missing.push(path);
  }
  assertEquals(missing, []);
});
