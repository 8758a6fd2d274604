import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { type ActiveRun, activeRunSchema } from "../runs/active_run.ts";
import { parseRecord } from "../values/record.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { LOG_TTL_MS, LONG_CHUNK_TTL_MS, runLogHeadSchema } from "../runs/run_log_head.ts";

interface ResealDeps {
  kv: Deno.Kv;
  content: ContentCipher;
  now: () => number;
}

/** Encrypts the logs of runs anew, and what running ones were asked. */
export function resealRunLogs(parts: ResealDeps): ResealTask[] {
  return [activeRuns(parts), logHeads(parts), logChunks(parts), inputChunks(parts)];
}

function activeRuns({ content }: ResealDeps): ResealTask {
  return {
    kind: "running runs",
    prefix: keys.activeRuns(),
    async *reseal(entry) {
      const live = parseRecord(activeRunSchema, entry)!;
      const { tenant, runId } = live.run;
      const { asked, log } = live;
      const newAsked = asked && await content.reseal(asked, contentContexts.input(tenant, runId));
      const newTail = log && await content.reseal(
        log.tail,
        contentContexts.logTail(tenant, runId, log.frames),
      );
      if (newAsked === undefined && newTail === undefined) return;
      const next: ActiveRun = {
        ...live,
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
      const place = contentContexts.logTail(head.tenant, head.runId, head.frames);
      const tail = await content.reseal(head.tail, place);
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
      const [tenant, runId, n] = [String(entry.key[1]), String(entry.key[2]), Number(entry.key[3])];
      if (!(entry.value instanceof Uint8Array)) return;
      const chunk = await content.reseal(entry.value, contentContexts.logChunk(tenant, runId, n));
      if (chunk === undefined) return;
      const [live, ended] = await kv.getMany([
        keys.activeRun(tenant, runId),
        keys.runLogHead(tenant, runId),
      ]);
      const head = parseRecord(runLogHeadSchema, ended!);
      const left = (head?.exp ?? 0) + LOG_TTL_MS - now();
      const isLive = live!.versionstamp !== null;
      const expireIn = isLive ? LONG_CHUNK_TTL_MS : Math.max(1, left);
      yield {
        entry,
        // What no log names any more was only waiting to expire.
        write: (step) =>
          isLive || head !== undefined
            ? step.set(entry.key, chunk, { expireIn })
            : step.delete(entry.key),
      };
    },
  };
}

function inputChunks({ kv, content }: ResealDeps): ResealTask {
  return {
    kind: "messages of running runs",
    prefix: keys.allRunInputChunks(),
    async *reseal(entry) {
      const [tenant, runId, n] = [String(entry.key[1]), String(entry.key[2]), Number(entry.key[3])];
      if (!(entry.value instanceof Uint8Array)) return;
      const part = await content.reseal(entry.value, contentContexts.inputChunk(tenant, runId, n));
      if (part === undefined) return;
      const live = await kv.get(keys.activeRun(tenant, runId));
      const expireIn = LONG_CHUNK_TTL_MS;
      yield {
        entry,
        write: (step) =>
          live.versionstamp === null
            ? step.delete(entry.key)
            : step.set(entry.key, part, { expireIn }),
      };
    },
  };
}
