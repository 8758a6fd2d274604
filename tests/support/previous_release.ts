/** The code of the release before this one, built in a separate folder. */
import { fileURLToPath } from "node:url";
import { isInstalled } from "@/tools/install_packages.ts";

/**
 * The commit whose stored records this release must read, and which must read those of this release. At a
 * release, set it to the commit of that release. docs/debts.md lists what is known not to hold.
 */
export const PREVIOUS_RELEASE = "4436eb2d903b314afb71801e041e337d897e49b4";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Whether the repository's history, which a shallow clone or an archive lacks, has the commit. */
export async function hasPreviousRelease(): Promise<boolean> {
  try {
    return (await git(["cat-file", "-e", `${PREVIOUS_RELEASE}^{commit}`])).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Checks the release out below `dir`, and builds it. It runs with the packages of this release where these
 * have the versions that it names, and otherwise with its own.
 */
export async function buildPreviousRelease(dir: string): Promise<string> {
  const root = `${dir}/previous_release`;
  await Deno.mkdir(root);
  const archive = await git(["archive", "--output", `${dir}/release.tar`, PREVIOUS_RELEASE]);
  if (!archive.success) throw new Error(new TextDecoder().decode(archive.stderr));
  await run("tar", ["-x", "-f", `${dir}/release.tar`, "-C", root], { cwd: dir });
  const { imports } = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  if (await isInstalled(ROOT, imports)) {
    await Deno.symlink(`${ROOT}/node_modules`, `${root}/node_modules`);
    await run(Deno.execPath(), ["run", "-A", "--cached-only", "dev.ts", "build"], { cwd: root });
  } else {await run(Deno.execPath(), ["run", "--no-config", "-A", "tools/prepare_start.ts"], {
      cwd: root,
    });}
  return root;
}

function git(args: string[]): Promise<Deno.CommandOutput> {
  return new Deno.Command("git", { args, cwd: ROOT }).output();
}

async function run(command: string, args: string[], { cwd }: { cwd: string }): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, cwd }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
