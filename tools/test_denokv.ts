/**
 * `deno task test:denokv` runs the multi-process tests on a real `denokv` server, before each release.
 * Passes its arguments to `deno test`. Exits with the code of `deno test`, or 2 without `denokv`.
 */
import { findDenokv, INSTALL_COMMAND } from "./find_denokv.ts";

/** Files with tests that have `denokv` in their names. */
const FILES = [
  "tests/denokv_test.ts",
  "tests/denokv_fleet_test.ts",
  "tests/unresponsive_denokv_test.ts",
  "tests/api_across_processes_test.ts",
  "tests/followed_runs_test.ts",
  "tests/crash_test.ts",
  "tests/kill_test.ts",
  "tests/copy_store_test.ts",
  "tests/rolling_restarts_test.ts",
  "tests/previous_release_test.ts",
];

if (import.meta.main) Deno.exit(await run(Deno.args));

async function run(words: readonly string[]): Promise<number> {
  const { DENOKV_BIN: bin, PATH: path, HOME: home } = Deno.env.toObject();
  const denokv = await findDenokv({ bin, path, home });
  if (denokv === undefined) {
    console.error(missing(bin));
    return 2;
  }
  console.log(`testing on ${denokv}`);
  const filter = words.some((word) => word.startsWith("--filter")) ? [] : ["--filter=/[dD]enokv/"];
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", ...filter, ...words, ...FILES],
    cwd: new URL("..", import.meta.url).pathname,
    env: { DENOKV_BIN: denokv },
  }).spawn().status;
  return code;
}

function missing(bin: string | undefined): string {
  const where = bin ? `at DENOKV_BIN=${bin}` : "in PATH or ~/.cargo/bin, and DENOKV_BIN is unset";
  return [
    "NOTHING WAS TESTED: there is no denokv program " + where + ".",
    "Install it (gcc and cmake are needed), then run this task again:",
    "",
    `  ${INSTALL_COMMAND}`,
  ].join("\n");
}
