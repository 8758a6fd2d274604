import type { Runtime } from "../../platform/runtime.ts";
import type { ContentCipher } from "../../store/encryption/content_cipher.ts";
import type { LogState } from "../../store/runs/run_log_head.ts";
import type { RunFacts } from "../../store/runs/run_record.ts";
import type { GroupCommitter } from "../../store/tx/group_committer.ts";
import type { RunLog } from "./run_log.ts";

export interface RunLogWriterDeps {
  committer: GroupCommitter;
  runtime: Runtime;
  content: ContentCipher;
  facts: RunFacts;
  /** The empty log as stored when the run began. */
  begun: LogState;
  log: RunLog;
  /** How long chunks are stored, milliseconds. */
  chunkTtlMs: number;
  /** Another process has settled the run, because this one was suspended. */
  onLost: () => void;
}

/** Frames being stored: encrypted chunks that follow the stored ones. */
export interface Batch {
  chunks: Uint8Array[];
  /** Frames of the log that are stored once these chunks are. */
  frames: number;
  /** Possibly stored, even if the commit failed, so a follower may have read them. */
  sent: boolean;
}

/** What a settlement stores of a log. */
export interface Remainder {
  /** Includes the `sent` chunks. */
  log: LogState;
  sent: readonly Uint8Array[];
  unstored: { frames: number; bytes: Uint8Array };
  /** Bytes of both. */
  size: number;
}
