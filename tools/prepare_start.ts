/**
 * Prepares a start with narrow permissions: packages, browser code, and the scripts that start document
 * and server processes. Imports no packages, because it runs before they are installed. With the argument
 * `packages` it installs only those.
 */
import { createLogger } from "../lib/platform/log.ts";
import { warnOfLowFileLimit } from "../lib/server/process/open_file_limit.ts";
import { lockBuild } from "./build_lock.ts";
import { isBuildCurrent } from "./build_mark.ts";
import { arePackagesCurrent, installPackages } from "./install_packages.ts";
import { startPaths, toFlagValue } from "./start_paths.ts";
import { writeStartScripts } from "./write_start_scripts.ts";
import { messageOf } from "../lib/platform/message_of.ts";

const root = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

if (import.meta.main) {
  try {
    await prepare(Deno.args.includes("packages"));
  } catch (error) {
    console.error(messageOf(error));
    Deno.exit(1);
  }
}

async function prepare(packagesOnly: boolean): Promise<void> {
  const env = Deno.env.toObject();
  // Checked first: the next command would only report an empty path.
  toFlagValue(await startPaths("read", { root, env }), root);
  if (!await isPrepared(packagesOnly)) await installAndBuild(packagesOnly);
  if (packagesOnly) return;
  const log = createLogger();
  await writeStartScripts(root, env).catch((error) => {
    log.warn("cannot write the scripts that start document and server processes", { error });
  });
  await warnOfLowFileLimit(log);
}

/** If everything is ready, nothing is written: the folder may be read-only. */
async function isPrepared(packagesOnly: boolean): Promise<boolean> {
  return await arePackagesCurrent(root) && (packagesOnly || await isBuildCurrent(root));
}

async function installAndBuild(packagesOnly: boolean): Promise<void> {
  // If several services start together, one installs and builds while the others wait.
  using _lock = await lockBuild(root);
  if (!await arePackagesCurrent(root)) await installPackages(root);
  if (!packagesOnly && !await isBuildCurrent(root)) await build();
}

async function build(): Promise<void> {
  console.error("building the browser code, once …");
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--cached-only", "dev.ts", "build"],
    cwd: root,
    stdout: "null",
    stderr: "inherit",
  });
  const { success } = await command.output();
  if (!success) throw new Error("the build failed; see above");
}
