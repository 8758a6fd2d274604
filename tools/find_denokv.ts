/** Where to look for the `denokv` program. */
export interface DenokvLocations {
  /** `DENOKV_BIN`; if set, the only location. */
  bin?: string | undefined;
  /** `PATH`. */
  path?: string | undefined;
  /** `HOME`, below which cargo installs programs. */
  home?: string | undefined;
}

/** Installs the version that the tests pass with. */
export const INSTALL_COMMAND = "cargo install denokv --version 0.14.0 --locked";

/** The path of the `denokv` program, if there is one. */
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
    // Missing, or in an unreadable folder.
    return false;
  }
}
