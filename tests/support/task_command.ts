import manifest from "@/deno.json" with { type: "json" };

/** A task of `deno.json` as a process that is the task's last command itself, to be signalled and killed. */
export function taskCommand(
  name: keyof typeof manifest.tasks,
  { flags = [], words = [] }: {
    /** More flags of Deno for the last command. */
    flags?: readonly string[];
    /** What follows the task's name on the command line. */
    words?: readonly string[];
  } = {},
): { command: string; args: string[] } {
  const steps = manifest.tasks[name].replaceAll(/\bdeno run\b/g, '"$0" run').split(" && ");
  const last = steps.pop()!.replace(" run ", ["", "run", ...flags, ""].join(" "));
  const script = [...steps, `exec ${last} "$@"`].join(" && ");
  return { command: "/bin/sh", args: ["-c", script, Deno.execPath(), ...words] };
}
