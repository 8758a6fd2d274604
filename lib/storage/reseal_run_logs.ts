import { type ContentCipher, contentPlaces } from "./content_cipher.ts";
import { keys } from "./keys.ts";
import { type LiveRun, liveRunSchema } from "./live_run.ts";
import { parseRecord } from "./record.ts";
import type { Resealing } from "./resealing.ts";
import { LOG_KEPT_MS, LONG_CHUNK_KEPT_MS, runHeadSchema } from "./run_head.ts";

interface Parts {
  kv: Deno.Kv;
  content: ContentCipher;
  now: () => number;
}

/** Encrypts the logs of runs anew, and what running ones were asked. */
export function resealRunLogs(parts: Parts): Resealing[] {
  return [liveRuns(parts), logHeads(parts), logChunks(parts), askedParts(parts)];
}

function liveRuns({ content }: Parts): Resealing {
  return {
    kind: "running runs",
    prefix: keys.liveRuns(),
    async *reseal(entry) {
      const live = parseRecord(liveRunSchema, entry)!;
      const { tenant, runId } = live.run;
      const { asked, log } = live;
      const newAsked = asked && await content.reseal(asked, contentPlaces.asked(tenant, runId));
      const newTail = log && await content.reseal(
        log.tail,
        contentPlaces.logTail(tenant, runId, log.frames),
      );
      if (newAsked === undefined && newTail === undefined) return;
      const next: LiveRun = {
        ...live,
        ...(newAsked && { asked: newAsked }),
        ...(log && newTail && { log: { ...log, tail: newTail } }),
      };
      yield { entry, write: (step) => step.set(entry.key, next) };
    },
  };
}

function logHeads({ content, now }: Parts): Resealing {
  return {
    kind: "run logs",
    prefix: keys.runHeads(),
    async *reseal(entry) {
      const head = parseRecord(runHeadSchema, entry)!;
      const place = contentPlaces.logTail(head.tenant, head.runId, head.frames);
      const tail = await content.reseal(head.tail, place);
      if (tail === undefined) return;
      const expireIn = Math.max(1, (head.exp ?? now()) + LOG_KEPT_MS - now());
      yield { entry, write: (step) => step.set(entry.key, { ...head, tail }, { expireIn }) };
    },
  };
}

function logChunks({ kv, content, now }: Parts): Resealing {
  return {
    kind: "run log chunks",
    prefix: keys.allRunChunks(),
    async *reseal(entry) {
      const [tenant, runId, n] = [String(entry.key[1]), String(entry.key[2]), Number(entry.key[3])];
      if (!(entry.value instanceof Uint8Array)) return;
      const chunk = await content.reseal(entry.value, contentPlaces.logChunk(tenant, runId, n));
      if (chunk === undefined) return;
      const [live, ended] = await kv.getMany([
        keys.liveRun(tenant, runId),
        keys.runHead(tenant, runId),
      ]);
      const head = parseRecord(runHeadSchema, ended!);
      const left = (head?.exp ?? 0) + LOG_KEPT_MS - now();
      const isLive = live!.versionstamp !== null;
      const expireIn = isLive ? LONG_CHUNK_KEPT_MS : Math.max(1, left);
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

function askedParts({ kv, content }: Parts): Resealing {
  return {
    kind: "messages of running runs",
    prefix: keys.allRunAskedParts(),
    async *reseal(entry) {
      const [tenant, runId, n] = [String(entry.key[1]), String(entry.key[2]), Number(entry.key[3])];
      if (!(entry.value instanceof Uint8Array)) return;
      const part = await content.reseal(entry.value, contentPlaces.askedPart(tenant, runId, n));
      if (part === undefined) return;
      const live = await kv.get(keys.liveRun(tenant, runId));
      const expireIn = LONG_CHUNK_KEPT_MS;
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
