import { assert, assertEquals } from "@std/assert";
import { createLogger } from "../../platform/log.ts";
import type {
  ClaimedDocument,
  ProcessingOutcome,
} from "../../store/knowledge/document_task_queue.ts";
import { FakeRuntime, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { DocumentProcessor } from "./document_processor.ts";
import { DocumentParseError } from "./document_parse_error.ts";
import type { Job, JobResult } from "./worker/job_messages.ts";

type Work = (job: Job, options: { signal?: AbortSignal }) => Promise<JobResult>;

const waiting = (
  id: string,
  change: { tries?: number; unknown?: boolean } = {},
): ClaimedDocument => ({
  task: {
    of: { tenant: "t", base: "b", id },
    key: [id],
    versionstamp: "0",
    tries: change.tries ?? 0,
  },
  mediaType: change.unknown ? "application/octet-stream" : "text/plain",
  bytes: new TextEncoder().encode("PK\x03\x04"),
});

/** A processor with two slots on a queue, its workers being `work`. */
function open(queue: ClaimedDocument[], work: Work) {
  const finished = new Map<string, ProcessingOutcome>();
  const released: string[] = [];
  const logged: string[] = [];
  const processor = new DocumentProcessor({
    tasks: {
      get isEmpty() {
        return queue.length === 0;
      },
      take: () => Promise.resolve(queue.shift()),
      finish: ({ of }, outcome) => Promise.resolve(void finished.set(of.id, outcome)),
      release: ({ of }) => Promise.resolve(void released.push(of.id)),
    },
    bases: { sweep: () => Promise.resolve() },
    runtime: new FakeRuntime(),
    log: createLogger({ json: true, write: (line) => logged.push(line) }),
    concurrency: 2,
    workers: { run: work },
  });
  return { processor, finished, released, logged, queue };
}

const fine: Work = () => Promise.resolve({ kind: "read", parts: [], chunks: 3 });
const errorOf = (outcome: ProcessingOutcome | undefined) =>
  outcome && "error" in outcome && outcome.error.code;

Deno.test("DocumentProcessor: reads all that waits, two at a time, and what comes meanwhile", async () => {
  let running = 0;
  let most = 0;
  const together = Promise.withResolvers<void>();
  const queue = ["a", "b", "c", "d"].map((id) => waiting(id));
  const world = open(queue, async (job, options) => {
    most = Math.max(most, ++running);
    if (running === 2) together.resolve();
    await together.promise;
    if (queue.length === 0 && world.finished.size === 2) queue.push(waiting("e"));
    running--;
    return await fine(job, options);
  });
  world.processor.wake();
  await world.processor.whenIdle();
  assertEquals([...world.finished.keys()].sort(), ["a", "b", "c", "d", "e"]);
  assertEquals(most, 2);
});

Deno.test("DocumentProcessor: a document that cannot be read fails with its reason", async () => {
  const unreadable: Work = () =>
    Promise.resolve({ kind: "unreadable", code: "encrypted", message: "locked" });
  const bomb: Work = () => Promise.reject(new DocumentParseError("too_complex", "too slow"));
  for (const [work, code] of [[unreadable, "encrypted"], [bomb, "too_complex"]] as const) {
    const { processor, finished } = open([waiting("a")], work);
    processor.wake();
    await processor.whenIdle();
    assertEquals(errorOf(finished.get("a")), code);
  }
});

Deno.test("DocumentProcessor: what is no document, or has ended three processes, is not read at all", async () => {
  const queue = [waiting("zip", { unknown: true }), waiting("killer", { tries: 3 })];
  const { processor, finished } = open(queue, () => Promise.reject(new Error("was read")));
  processor.wake();
  await processor.whenIdle();
  assertEquals(errorOf(finished.get("zip")), "unsupported_type");
  assertEquals(errorOf(finished.get("killer")), "interrupted");
});

Deno.test("DocumentProcessor: closing gives back what is being read and begins nothing", async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const endless: Work = (_job, { signal }) => {
    resolve();
    return new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason))
    );
  };
  const { processor, released, finished, queue } = open([waiting("a")], endless);
  processor.wake();
  await begun;
  queue.push(waiting("b"));
  await processor.close();
  processor.wake();
  await processor.whenIdle();
  assertEquals([released, finished.size, queue.length], [["a"], 0, 1]);
});

Deno.test("DocumentProcessor: a fault of ours is logged, and the document left to be taken again", async () => {
  const { processor, finished, logged } = open(
    [waiting("a")],
    () => Promise.reject(new Error("x")),
  );
  processor.wake();
  await processor.whenIdle();
  assertEquals(finished.size, 0);
  assert(logged.some((line) => line.includes("documents could not be read")));
});

Deno.test("DocumentProcessor: looks every 5 s while there are tasks, and every minute for tasks or deletions where there are none", async () => {
  const runtime = new FakeRuntime();
  const looks: string[] = [];
  let isEmpty = true;
  const start = runtime.now();
  const note = (what: string) => void looks.push(`${what} ${(runtime.now() - start) / 1_000}`);
  const processor = new DocumentProcessor({
    tasks: {
      get isEmpty() {
        return isEmpty;
      },
      take: () => Promise.resolve(note("tasks")).then(() => undefined),
      finish: () => Promise.resolve(),
      release: () => Promise.resolve(),
    },
    bases: { sweep: () => Promise.resolve(note("deletions")) },
    runtime,
    log: createLogger({ json: true, write: () => {} }),
    workers: { run: fine },
  });
  processor.start();
  await runtime.advance(100_000);
  assertEquals(looks.splice(0), ["tasks 35", "deletions 95"]);
  isEmpty = false;
  // Somebody sends a document here: what others have to read is known as well.
  processor.wake();
  await flushMicrotasks();
  await runtime.advance(10_000);
  assertEquals(looks.splice(0), [
    ...["tasks 100", "deletions 100", "tasks 100"],
    ...["deletions 105", "tasks 105", "deletions 110", "tasks 110"],
  ]);
  isEmpty = true;
  await runtime.advance(120_000);
  assertEquals(looks.splice(0).length, 2);
  await processor.close();
});
