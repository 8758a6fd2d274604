import { createHash } from "node:crypto";
import { shellQuote } from "../../platform/shell_quote.ts";

/** The variables that decide whether there is a script, what it copies where, and where Deno's cache is. */
export type BackupScriptVariables = Partial<Record<typeof FIXED_VARIABLES[number], string>>;
const FIXED_VARIABLES = [
  ...["BACKUP_EVERY", "BACKUP_DIR", "BACKUP_KEEP", "DATA_DIR", "KV_PATH"] as const,
  ...["DENO_DIR", "HOME", "XDG_CACHE_HOME"] as const,
];
/** Those that the script takes from its caller: they are not to be in a file. */
const SECRET_VARIABLES = ["BACKUP_PASSPHRASE", "API_KEY_HMAC_SECRET", "ENCRYPTION_KEY"] as const;

/** The script that makes a scheduled backup, relative to the service's folder, if there are any. */
export function backupScriptPath(env: BackupScriptVariables): string | undefined {
  if (!env.BACKUP_EVERY?.trim()) return undefined;
  const values = JSON.stringify(FIXED_VARIABLES.map((name) => env[name] ?? ""));
  return `_fresh/backup_${createHash("sha256").update(values).digest("hex").slice(0, 12)}.sh`;
}

/**
 * A shell script that makes one backup, with all of Deno's permissions, which the service does not have:
 * SQLite needs them to copy a store. The service may run it with any arguments and environment, so what is
 * copied where is part of the script, and nothing but secrets is taken from its caller.
 */
export function backupScript(
  { deno, root, env }: { deno: string; root: string; env: BackupScriptVariables },
): string {
  const variables = FIXED_VARIABLES.flatMap((name) =>
    env[name] === undefined ? [] : [`${name}=${shellQuote(env[name])}`]
  );
  return [
    "unset -f cd echo read 2>/dev/null",
    ...keepVariables(SECRET_VARIABLES),
    `cd ${shellQuote(root)} || exit 1`,
    `export ${["NO_COLOR=1", ...variables].join(" ")}`,
    `exec ${shellQuote(deno)} run --cached-only --frozen --no-prompt -A cli/backup.ts --scheduled`,
    "",
  ].join("\n");
}

/** The lines of a script that drop all variables but some. */
function keepVariables(kept: readonly string[]): string[] {
  return [
    "set -f",
    "unset IFS",
    "names=$(export -p | while IFS= read -r line; do",
    '  case $line in "export "*) line=${line#"export "}; echo "${line%%=*}" ;; esac',
    "done)",
    "for name in $names; do",
    `  case $name in *[!A-Za-z0-9_]*|[0-9]*) ;; ${kept.join("|")}) ;; *) unset "$name" ;; esac`,
    "done",
  ];
}
