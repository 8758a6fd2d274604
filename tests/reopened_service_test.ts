/** Opening the service a second time after a failed attempt, as a request under `deno serve` does. */
import { assertEquals } from "@std/assert";

const SCRIPT = `
  const { development } = await import("./main.ts");
  const failures = [];
  for (let n = 0; n < 2; n++) await development().printBanner().catch(({ name }) => failures.push(name));
  console.log(JSON.stringify(failures));
  Deno.exit(0);
`;

Deno.test("a failed opening of the service releases its resources, so the next request can try again", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", SCRIPT],
      cwd: new URL("..", import.meta.url).pathname,
      env: { DATA_DIR: dir, CATALOGUE: `${dir}/none.json` },
      stderr: "null",
    }).output();
    const failures: string[] = JSON.parse(new TextDecoder().decode(stdout).trim());
    assertEquals(failures.length, 2);
    assertEquals(failures[1], failures[0], "the second attempt fails for the same reason");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
