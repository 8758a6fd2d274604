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

type Work = (job: Job, options: { signal?: AbortSignal | undefined }) => Promise<JobResult>;

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

/** A processor of two documents at a time whose workers run `work`. */
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

const fine: Work = () => Promise.resolve({ kind: "document", chunks: [], passages: 3 });
const errorOf = (outcome: ProcessingOutcome | undefined) =>
  outcome && "error" in outcome && outcome.error.code;

Deno.test("DocumentProcessor: parses two documents at a time, and those that arrive meanwhile", async () => {
  let running = 0;
  let max = 0;
  const together = Promise.withResolvers<void>();
  const queue = ["a", "b", "c", "d"].map((id) => waiting(id));
  const context = open(queue, async (job, options) => {
    max = Math.max(max, ++running);
    if (running === 2) together.resolve();
    await together.promise;
    if (queue.length === 0 && context.finished.size === 2) queue.push(waiting("e"));
    running--;
    return await fine(job, options);
  });
  context.processor.wake();
  await context.processor.whenIdle();
  assertEquals([...context.finished.keys()].sort(), ["a", "b", "c", "d", "e"]);
  assertEquals(max, 2);
});

Deno.test("DocumentProcessor: an unreadable document fails with its reason", async () => {
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

Deno.test("DocumentProcessor: an unsupported type, or a document that ended three processes, is not parsed", async () => {
  const queue = [waiting("zip", { unknown: true }), waiting("killer", { tries: 3 })];
  const { processor, finished } = open(queue, () => Promise.reject(new Error("was read")));
  processor.wake();
  await processor.whenIdle();
  assertEquals(errorOf(finished.get("zip")), "unsupported_type");
  assertEquals(errorOf(finished.get("killer")), "interrupted");
});

Deno.test("DocumentProcessor: closing returns documents to the queue and starts none", async () => {
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const endless: Work = (_job, { signal }) => {
    resolve();
    return new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason))
    );
  };
  const { processor, released, finished, queue } = open([waiting("a")], endless);
  processor.wake();
  await started;
  queue.push(waiting("b"));
  await processor.close();
  processor.wake();
  await processor.whenIdle();
  assertEquals([released, finished.size, queue.length], [["a"], 0, 1]);
});

Deno.test("DocumentProcessor: an internal error is logged, and the document stays in the queue", async () => {
  const { processor, finished, logged } = open(
    [waiting("a")],
    () => Promise.reject(new Error("x")),
  );
  processor.wake();
  await processor.whenIdle();
  assertEquals(finished.size, 0);
  assert(logged.some((line) => line.includes("could not process documents")));
});

Deno.test("DocumentProcessor: polls every 5 s while there are tasks, else every minute for tasks or deletions", async () => {
  const runtime = new FakeRuntime();
  const polls: string[] = [];
  let isEmpty = true;
  const start = runtime.now();
  const note = (what: string) => void polls.push(`${what} ${(runtime.now() - start) / 1_000}`);
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
  assertEquals(polls.splice(0), ["tasks 35", "deletions 95"]);
  isEmpty = false;
  // After an upload to this process, the queue is not empty.
  processor.wake();
  await flushMicrotasks();
  await runtime.advance(10_000);
  assertEquals(polls.splice(0), [
    ...["tasks 100", "deletions 100", "tasks 100"],
    ...["deletions 105", "tasks 105", "deletions 110", "tasks 110"],
  ]);
  isEmpty = true;
  await runtime.advance(120_000);
  assertEquals(polls.splice(0).length, 2);
  await processor.close();
});
