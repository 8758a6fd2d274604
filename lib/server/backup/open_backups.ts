import type { Logger } from "../../platform/log.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { keys } from "../../store/keys/keys.ts";
import type { Config } from "../config/config.ts";
import { backupCommand, runBackup } from "./backup_command.ts";
import { BackupStatus } from "./backup_status.ts";
import { ScheduledBackups } from "./scheduled_backups.ts";

/** How old the latest backup is; `undefined` if the service makes none. */
export function openBackupStatus(
  { backupEveryMs, backupDir }: Pick<Config, "backupEveryMs" | "backupDir">,
  { kv, runtime }: { kv: Deno.Kv; runtime: Pick<Runtime, "now"> },
): BackupStatus | undefined {
  if (backupEveryMs === undefined) return undefined;
  const readInstallation = async () =>
    (await kv.get<string>(keys.installation("default_tenant"))).value ?? undefined;
  return new BackupStatus({
    ...{ folder: backupDir, everyMs: backupEveryMs, readInstallation, runtime },
  });
}

/** Makes backups until `stopped`, if `BACKUP_EVERY` is set. One process of a store does. */
export async function makeBackups(
  config: Pick<Config, "backupEveryMs" | "backupPassphrase">,
  { root, env, status, stopped, log, runtime }: {
    /** Folder of the service. */
    root: string;
    env: Record<string, string>;
    status: Pick<BackupStatus, "readLast"> | undefined;
    stopped: Promise<void>;
    log: Logger;
    runtime: Runtime;
  },
): Promise<void> {
  const { backupEveryMs: everyMs, backupPassphrase } = config;
  if (everyMs === undefined || status === undefined) return;
  if (backupPassphrase === undefined) {
    log.warn(
      "backups are made without the secrets, because BACKUP_PASSPHRASE is not set: keep secrets.json " +
        "somewhere else, or nothing in a backup can be read",
    );
  }
  const command = await backupCommand(root, env);
  const backups = new ScheduledBackups({
    ...{ everyMs, runtime, log },
    readLastBackup: () => status.readLast(),
    makeBackup: (signal) => runBackup(command, signal),
  });
  await backups.start();
  await stopped;
  await backups.stop();
}
