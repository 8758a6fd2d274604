import { assertEquals } from "@std/assert";

const root = new URL("../..", import.meta.url).pathname;

/** Builds the packages and browser code, as `deno task start` does, for a test that starts `main.ts`. */
export async function prepareBuild(): Promise<void> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "-A", "tools/prepare_start.ts"],
    cwd: root,
  }).output();
  assertEquals(success, true);
}
