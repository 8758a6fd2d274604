/** `deno task restore FILE`: puts a backup in the place of a stopped service's store. */
import { systemRuntime } from "../lib/platform/runtime.ts";
import { restoreBackup } from "../lib/server/backup/restore_backup.ts";
import { readConfig } from "../lib/server/config/config.ts";
import { parseOptions, pathFromCaller, rejectExtra, UsageError } from "./arguments.ts";
import { runFileCommand } from "./run_file_command.ts";

const HELP = `Puts a backup in the place of the store of a stopped service.

  deno task restore FILE

The backup is checked first, and nothing changes if it is damaged, if its secrets do not fit, or while a
service runs on the store. With BACKUP_PASSPHRASE, the secrets come from FILE.secrets; without it, the
installation must have them already. The store that is replaced stays in a folder beside it.

Exit codes: 0 done, 1 failed, 2 wrong usage.`;

if (import.meta.main) {
  Deno.exit(await runFileCommand(Deno.args, { name: "restore", help: HELP, parse, run }));
}

function parse(words: string[]): { file: string } | "help" {
  const { values, positionals: [file, ...rest] } = parseOptions(words, {});
  if (values.help || file === "help") return "help";
  if (file === undefined) throw new UsageError("name the backup to restore");
  rejectExtra(rest);
  return { file };
}

async function run({ file }: { file: string }): Promise<void> {
  const config = readConfig(Deno.env.toObject());
  const restored = await restoreBackup({
    file: pathFromCaller(file),
    config,
    passphrase: config.backupPassphrase,
    runtime: systemRuntime,
  });
  const lines = [
    `Restored  ${restored.entries} entries to ${restored.store}`,
    restored.secrets && `Secrets   ${restored.secrets}`,
    restored.replaced && `Replaced  the earlier store is in ${restored.replaced}`,
    restored.environment &&
    `To do     set the variables in ${restored.environment}, and delete that file`,
  ];
  console.log(lines.filter((line) => line !== undefined).join("\n"));
}
