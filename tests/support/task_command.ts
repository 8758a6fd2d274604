import manifest from "@/deno.json" with { type: "json" };

/** The last command of a `deno.json` task as a process that can be signaled and killed. */
export function taskCommand(
  name: keyof typeof manifest.tasks,
  { flags = [], words = [] }: {
    /** More flags of Deno for the last command. */
    flags?: readonly string[];
    /** Arguments after the task's name. */
    words?: readonly string[];
  } = {},
): { command: string; args: string[] } {
  const steps = manifest.tasks[name].replaceAll(/\bdeno run\b/g, '"$0" run').split(" && ");
  const last = steps.pop()!.replace(" run ", ["", "run", ...flags, ""].join(" "));
  const script = [...steps, `exec ${last} "$@"`].join(" && ");
  return { command: "/bin/sh", args: ["-c", script, Deno.execPath(), ...words] };
}
