import { fileURLToPath as fromFileUrl } from "node:url";
import type { Chromium } from "./chromium.ts";
import manifest from "@/deno.json" with { type: "json" };

const CACHE = fromFileUrl(new URL("../../node_modules/.cache/", import.meta.url));
const UNPACK = fromFileUrl(new URL("./chromium_unpack.ts", import.meta.url));

/**
 * The Chromium inside `npm:@sparticuz/chromium`, unpacked once (about 200 MB, 2 s) next to the
 * package. It is built for x86-64 Linux and brings the libraries that a bare image lacks.
 *
 * Workers of one run, and runs at the same time, wait for each other on a lock file. The folder gets
 * its final name only when it is complete, so a run that was killed leaves nothing half unpacked.
 */
export async function packagedChromium(cache = CACHE): Promise<Chromium> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") {
    throw new Error(`The packaged Chromium does not run on ${Deno.build.target}.`);
  }
  const version = manifest.scopes["./tests/"]["@sparticuz/chromium"].split("@").at(-1);
  const folder = `${cache}chromium-${version}`;
  await Deno.mkdir(cache, { recursive: true });
  using lock = await Deno.open(`${cache}chromium.lock`, { create: true, write: true });
  await lock.lock(true);
  if (!await exists(folder)) await unpackInto(folder);
  return {
    executablePath: `${folder}/chromium`,
    env: {
      LD_LIBRARY_PATH: `${folder}/al2023/lib`,
      FONTCONFIG_FILE: `${folder}/fonts.conf`,
    },
  };
}

async function unpackInto(folder: string): Promise<void> {
  const staging = `${folder}.partial`;
  await removeIfThere(staging);
  await Deno.mkdir(staging);
  // A separate process: the package unpacks to TMPDIR and changes the environment on import.
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", UNPACK],
    env: { TMPDIR: staging, AWS_LAMBDA_JS_RUNTIME: "nodejs22.x" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    throw new Error(`Chromium could not be unpacked: ${new TextDecoder().decode(stderr)}`);
  }
  await Deno.writeTextFile(`${staging}/fonts.conf`, fontsConf(folder));
  await Deno.rename(staging, folder);
}

/** The package's own file names folders of another machine. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function removeIfThere(path: string): Promise<void> {
  if (await exists(path)) await Deno.remove(path, { recursive: true });
}
