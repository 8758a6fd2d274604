import { assert, assertEquals } from "@std/assert";
import { groupTests, listTests } from "./test_groups.ts";

Deno.test("groupTests: each file is in one group, and slow ones are in the first groups", () => {
  const files = [
    ...Array.from({ length: 20 }, (_, n) => `lib/a/${n}_test.ts`),
    ...Array.from({ length: 4 }, (_, n) => `tests/page_${n}_browser_test.ts`),
  ];
  const groups = groupTests(files);
  assertEquals(groups.flat().sort(), files.toSorted());
  assertEquals(groups.map((group) => group.length), [3, 1, 12, 8]);
  assert(groups[0]!.every((file) => file.includes("browser")));
  assertEquals(groupTests([]), []);
});

Deno.test("listTests: finds what deno test finds", async () => {
  const root = new URL("..", import.meta.url).pathname;
  const listed = (await listTests(root)).map((path) => path.slice(root.length));
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-co", "--exclude-standard", "*_test.ts", "*_test.tsx"],
    cwd: root,
  }).output();
  const known = new TextDecoder().decode(stdout).trim().split("\n").sort();
  assertEquals(listed, known);
});
