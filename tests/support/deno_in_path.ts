import { shellQuote } from "@/lib/platform/shell_quote.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

/** `env` with a folder first in `PATH` in which `deno task …` runs this project's tasks from any folder. */
export async function withDenoInPath(
  dir: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  const bin = `${dir}/bin`;
  await Deno.mkdir(bin);
  const [deno, config] = [shellQuote(Deno.execPath()), shellQuote(CONFIG)];
  const script = `#!/bin/sh\nshift\nexec ${deno} task --config ${config} "$@"\n`;
  await Deno.writeTextFile(`${bin}/deno`, script, { mode: 0o755 });
  return { ...env, PATH: `${bin}:${Deno.env.get("PATH")}` };
}
