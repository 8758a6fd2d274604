import { packagedChromium } from "./chromium_package.ts";

/** An executable browser and the environment that it needs. */
export interface Chromium {
  executablePath: string;
  env: Record<string, string>;
}

export interface FindOptions {
  /** Path that takes precedence. Default: the environment variable CHROME. */
  chosen?: string | undefined;
  /** Where systems install Chromium, best first. */
  installed?: string[];
  /** The last resort. Default: the copy in `npm:@sparticuz/chromium`. */
  packaged?: () => Promise<Chromium>;
}

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
];

const HELP = "The browser tests need one: install Chromium (for example `apt install chromium`), " +
  "or set CHROME to the path of a Chromium or Chrome binary.";

/**
 * Finds a Chromium: the one in CHROME, an installed one, else the packaged one.
 *
 * @throws {Error} that says how to get one. A missing browser fails tests, it never skips them: a
 * suite that is green because it did not look is worse than a red one.
 */
export async function findChromium(options: FindOptions = {}): Promise<Chromium> {
  const {
    chosen = Deno.env.get("CHROME"),
    installed = INSTALLED,
    packaged = packagedChromium,
  } = options;
  if (chosen) {
    if (await isFile(chosen)) return { executablePath: chosen, env: {} };
    throw new Error(`CHROME is set to ${chosen}, where there is no file. ${HELP}`);
  }
  for (const executablePath of installed) {
    if (await isFile(executablePath)) return { executablePath, env: {} };
  }
  try {
    return await packaged();
  } catch (cause) {
    throw new Error(`No Chromium was found. ${HELP}`, { cause });
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
