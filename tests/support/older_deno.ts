/** The oldest supported Deno, from its npm package. */
const OLDER = "deno@2.5.6";
const SEARCH_MS = 60_000;

/**
 * The program of Deno 2.5, from the npm registry or npm's cache; `undefined`, with a line on standard
 * error, when neither has it. `OLDER_DENO` names another program.
 */
export async function findOlderDeno(): Promise<string | undefined> {
  const named = Deno.env.get("OLDER_DENO");
  if (named !== undefined) return named;
  try {
    const { success, stdout } = await new Deno.Command("npx", {
      args: ["--yes", OLDER, "eval", "console.log(Deno.execPath())"],
      env: { NPM_CONFIG_FETCH_RETRIES: "0" },
      cwd: "/",
      stderr: "null",
      signal: AbortSignal.timeout(SEARCH_MS),
    }).output();
    if (success) return new TextDecoder().decode(stdout).trim();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  console.error(`SKIPPED: tests on an older Deno, because npx cannot get ${OLDER}`);
  return undefined;
}
