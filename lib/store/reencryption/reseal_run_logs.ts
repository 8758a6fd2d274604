import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { type ActiveRun, activeRunSchema } from "../runs/active_run.ts";
import { LOG_TTL_MS, LONG_CHUNK_TTL_MS, runLogHeadSchema } from "../runs/run_log_head.ts";
import { parseRecord } from "../values/record.ts";

export type ResealDeps = { kv: Deno.Kv; content: ContentCipher; now: () => number };

/** Encrypts the logs of runs with the current key, and the request messages of active ones. */
export function resealRunLogs(deps: ResealDeps): ResealTask[] {
  return [activeRuns(deps), logHeads(deps), logChunks(deps), inputChunks(deps)];
}

/** The tenant, run and number in the key of a chunk. */
export function chunkName({ key }: Deno.KvEntry<unknown>): [string, string, number] {
  return [String(key[1]), String(key[2]), Number(key[3])];
}

function activeRuns({ content }: ResealDeps): ResealTask {
  return {
    kind: "running runs",
    prefix: keys.activeRuns(),
    async *reseal(entry) {
      const active = parseRecord(activeRunSchema, entry)!;
      const { tenant, runId } = active.run;
      const { asked, log } = active;
      const newAsked = asked && await content.reseal(asked, contentContexts.input(tenant, runId));
      const newTail = log && await content.reseal(
        log.tail,
        contentContexts.logTail(tenant, runId, log.frames),
      );
      if (newAsked === undefined && newTail === undefined) return;
      const next: ActiveRun = {
        ...active,
        ...(newAsked && { asked: newAsked }),
        ...(log && newTail && { log: { ...log, tail: newTail } }),
      };
      yield { entry, write: (step) => step.set(entry.key, next) };
    },
  };
}

function logHeads({ content, now }: ResealDeps): ResealTask {
  return {
    kind: "run logs",
    prefix: keys.runLogHeads(),
    async *reseal(entry) {
      const head = parseRecord(runLogHeadSchema, entry)!;
      const context = contentContexts.logTail(head.tenant, head.runId, head.frames);
      const tail = await content.reseal(head.tail, context);
      if (tail === undefined) return;
      const expireIn = Math.max(1, (head.exp ?? now()) + LOG_TTL_MS - now());
      yield { entry, write: (step) => step.set(entry.key, { ...head, tail }, { expireIn }) };
    },
  };
}

function logChunks({ kv, content, now }: ResealDeps): ResealTask {
  return {
    kind: "run log chunks",
    prefix: keys.allRunLogChunks(),
    async *reseal(entry) {
      const [tenant, runId, n] = chunkName(entry);
      if (!(entry.value instanceof Uint8Array)) return;
      const chunk = await content.reseal(entry.value, contentContexts.logChunk(tenant, runId, n));
      if (chunk === undefined) return;
      const [active, ended] = await kv.getMany([
        keys.activeRun(tenant, runId),
        keys.runLogHead(tenant, runId),
      ]);
      const head = parseRecord(runLogHeadSchema, ended!);
      const isActive = active!.versionstamp !== null;
      const left = Math.max(1, (head?.exp ?? 0) + LOG_TTL_MS - now());
      const expireIn = isActive ? LONG_CHUNK_TTL_MS : left;
      // A chunk that no log refers to was only waiting to expire.
      const isUsed = isActive || head !== undefined;
      yield {
        entry,
        write: (step) => isUsed ? step.set(entry.key, chunk, { expireIn }) : step.delete(entry.key),
      };
    },
  };
}

function inputChunks({ kv, content }: ResealDeps): ResealTask {
  return {
    kind: "messages of running runs",
    prefix: keys.allRunInputChunks(),
    async *reseal(entry) {
      const [tenant, runId, n] = chunkName(entry);
      if (!(entry.value instanceof Uint8Array)) return;
      const chunk = await content.reseal(entry.value, contentContexts.inputChunk(tenant, runId, n));
      if (chunk === undefined) return;
      const active = await kv.get(keys.activeRun(tenant, runId));
      const isUsed = active.versionstamp !== null;
      const options = { expireIn: LONG_CHUNK_TTL_MS };
      yield {
        entry,
        write: (step) => isUsed ? step.set(entry.key, chunk, options) : step.delete(entry.key),
      };
    },
  };
}
