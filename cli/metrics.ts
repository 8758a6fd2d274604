/** `deno task metrics`: prints what a running service measures. */
import type { Commands } from "../lib/server/commands/commands.ts";
import { METRICS_HELP, type MetricsArgs, parseMetricsArgs } from "./metrics_args.ts";
import { runCommandLine } from "./run_command_line.ts";
import { formatTable } from "./table.ts";

const line = { name: "metrics", help: METRICS_HELP, parse: parseMetricsArgs, run };
if (import.meta.main) Deno.exit(await runCommandLine(Deno.args, line));

async function run(args: MetricsArgs, commands: Commands): Promise<void> {
  if (args.action === "show") {
    const { text } = await commands["metrics.show"](args.input);
    // The text ends with a line feed.
    console.log(text.slice(0, -1));
  } else {
    const { tenants } = await commands["metrics.tenants"](args.input);
    // Control characters in a name must not reach the terminal.
    const rows = tenants.map(({ label, id, name }) => [label, id, name.replace(/\p{Cc}/gu, " ")]);
    console.log(formatTable([["LABEL", "TENANT", "NAME"], ...rows]));
  }
}
