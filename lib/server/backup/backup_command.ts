import { backupScript, backupScriptPath, type BackupScriptVariables } from "./backup_script.ts";

/** Longer output of a failed backup is cut. */
const MAX_REASON_LENGTH = 500;

/** How a service starts a backup: by the script that its start has written, or by a shell. */
export async function backupCommand(
  root: string,
  env: BackupScriptVariables,
): Promise<{ path: string; args: string[] }> {
  const { state } = await Deno.permissions.query({ name: "run" });
  if (state !== "granted") return { path: `${root}/${backupScriptPath(env)}`, args: [] };
  const script = backupScript({ deno: Deno.execPath(), root, env });
  return { path: "/bin/sh", args: ["-c", script] };
}

/** Runs a backup to its end. Rejects with its last words if it fails. */
export async function runBackup(
  { path, args }: { path: string; args: string[] },
  signal: AbortSignal,
): Promise<void> {
  const command = new Deno.Command(path, {
    args,
    signal,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
  const { success, stderr } = await command.output();
  if (success) return;
  const reason = new TextDecoder().decode(stderr).trim();
  throw new Error(reason.slice(-MAX_REASON_LENGTH) || "its process ended without a reason");
}
