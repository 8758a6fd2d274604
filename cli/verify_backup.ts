/** `deno task verify-backup FILE`: checks that a backup can be restored, without changing anything. */
import { secretsFileOf } from "../lib/server/backup/backup_manifest.ts";
import { verifyBackup } from "../lib/server/backup/verify_backup.ts";
import { parseOptions, pathFromCaller, rejectExtra, UsageError } from "./arguments.ts";
import { formatBytes } from "./format_bytes.ts";
import { runFileCommand } from "./run_file_command.ts";

const HELP = `Checks that a backup can be restored: reads all of it, and changes nothing.

  deno task verify-backup FILE

With BACKUP_PASSPHRASE, it also opens FILE.secrets and checks that they belong to the store.

Exit codes: 0 the backup is good, 1 it is not, 2 wrong usage.`;

if (import.meta.main) {
  Deno.exit(await runFileCommand(Deno.args, { name: "verify-backup", help: HELP, parse, run }));
}

function parse(words: string[]): { file: string } | "help" {
  const { values, positionals: [file, ...rest] } = parseOptions(words, {});
  if (values.help || file === "help") return "help";
  if (file === undefined) throw new UsageError("name the backup to check");
  rejectExtra(rest);
  return { file };
}

async function run({ file }: { file: string }): Promise<void> {
  const path = pathFromCaller(file);
  const passphrase = Deno.env.get("BACKUP_PASSPHRASE") || undefined;
  const { manifest, entries, bytes, secrets } = await verifyBackup(path, { passphrase });
  const made = manifest === undefined
    ? "at an unknown time: it has no manifest, so a part that is missing is not noticed"
    : manifest.createdAt;
  const opened = secrets === undefined
    ? "not checked: BACKUP_PASSPHRASE is not set"
    : `${secretsFileOf(path)} belongs to it`;
  console.log(
    [
      `Good     ${path}`,
      `Made     ${made}`,
      `Store    ${entries} entries, ${formatBytes(bytes)}`,
      `Secrets  ${opened}`,
    ].join("\n"),
  );
}
