import type { ProcessOptions } from "./process.ts";

/** The last command of a checkout's `deno task start`; its other commands have run. */
export async function startCommand(
  root: string,
  { env, flags = [] }: { env: Record<string, string>; flags?: readonly string[] },
): Promise<ProcessOptions> {
  const manifest = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  const steps: string[] = manifest.tasks.start.split(" && ");
  const last = steps.pop()!.replace(/^deno run /, "");
  // The shell expands the paths in the flags, which other commands print.
  const script = [...steps, `printf '%s\\n' ${last}`].join(" && ")
    .replaceAll(/\bdeno run\b/g, '"$0" run');
  const { success, stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", script, Deno.execPath()],
    cwd: root,
    env,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`the service in ${root} cannot be prepared`);
  const words = new TextDecoder().decode(stdout).trim().split("\n");
  return { command: Deno.execPath(), args: ["run", ...flags, ...words], cwd: root, env };
}
