/** Where a `denokv` program may be. */
export interface DenokvLocations {
  /** `DENOKV_BIN`: then it is there or nowhere. */
  bin?: string | undefined;
  /** `PATH`. */
  path?: string | undefined;
  /** `HOME`, below which cargo installs programs. */
  home?: string | undefined;
}

/** The command that installs the version that the tests are known to pass on. */
export const INSTALL_COMMAND = "cargo install denokv --version 0.14.0 --locked";

/** The path of the `denokv` program; undefined where there is none. */
export async function findDenokv(
  { bin, path, home }: DenokvLocations,
): Promise<string | undefined> {
  if (bin) return await isProgram(bin) ? bin : undefined;
  const folders = (path ?? "").split(":").filter((folder) => folder !== "");
  if (home) folders.push(`${home}/.cargo/bin`);
  for (const folder of folders) {
    if (await isProgram(`${folder}/denokv`)) return `${folder}/denokv`;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(path);
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    // Not there, or behind a folder that cannot be read.
    return false;
  }
}
