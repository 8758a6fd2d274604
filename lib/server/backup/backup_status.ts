import type { Runtime } from "../../platform/runtime.ts";
import { listBackups } from "./backup_folder.ts";

const CACHE_MS = 30_000;

export interface BackupAge {
  /** When the latest whole backup was made, milliseconds; `undefined` if there is none. */
  lastAt: number | undefined;
  /** Older than twice the time between two backups. */
  isOverdue: boolean;
}

export interface BackupStatusOptions {
  folder: string;
  everyMs: number;
  /** Identifies the installation in manifests. */
  readInstallation: () => Promise<string | undefined>;
  runtime: Pick<Runtime, "now">;
}

/** How old the latest backup of an installation is, whichever process made it. */
export class BackupStatus {
  readonly #options: BackupStatusOptions;
  readonly #startedAt: number;
  #known: { at: number; lastAt: number | undefined } | undefined;

  constructor(options: BackupStatusOptions) {
    this.#options = options;
    this.#startedAt = options.runtime.now();
  }

  /** Reads the folder at most twice a minute. */
  async read(): Promise<BackupAge> {
    const { everyMs, runtime } = this.#options;
    const now = runtime.now();
    if (this.#known === undefined || now - this.#known.at >= CACHE_MS) {
      this.#known = { at: now, lastAt: await this.readLast() };
    }
    const { lastAt } = this.#known;
    return { lastAt, isOverdue: now - (lastAt ?? this.#startedAt) > 2 * everyMs };
  }

  /** Reads the folder now. A time in the future is of a clock that was wrong, and does not count. */
  async readLast(): Promise<number | undefined> {
    const { folder, readInstallation, runtime } = this.#options;
    const backups = await listBackups(folder, await readInstallation());
    return backups.find(({ at }) => at <= runtime.now())?.at;
  }
}
