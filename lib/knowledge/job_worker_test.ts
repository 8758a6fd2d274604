import { assert, assertEquals, assertRejects } from "@std/assert";
import { JobWorker } from "./job_worker.ts";
import { unpackPassages } from "./pack_passages.ts";
import { UnreadableError } from "./unreadable.ts";
import type { Job } from "./worker_job.ts";

const bytes = (text: string) => new TextEncoder().encode(text).buffer;
const read = (text: string): Job => ({ kind: "read", buffer: bytes(text), type: "text/markdown" });

Deno.test("JobWorker: reads one document after the other in the same thread", async () => {
  const worker = new JobWorker();
  for (const word of ["one", "two"]) {
    const result = await worker.run(read(`# A\n\n${word}`));
    assert(result.kind === "read");
    const passages = result.parts.flatMap((part) => unpackPassages(new Uint8Array(part)));
    assertEquals(passages, [{ headingPath: ["A"], text: word, tokens: 1 }]);
  }
  await worker.end();
});

Deno.test("JobWorker: tells why a document cannot be read", async () => {
  const worker = new JobWorker();
  assertEquals(await worker.run(read(" ")), {
    kind: "unreadable",
    code: "no_text",
    message: "there is no text in it",
  });
  await worker.end();
});

Deno.test("JobWorker: what takes too long or too much memory is ended, and the next job is done", async () => {
  for (const bounds of [{ timeMs: 1 }, { heapMiB: 48 }]) {
    const worker = new JobWorker(bounds);
    const bomb = read("*a*\n\n".repeat(1_000_000));
    const error = await assertRejects(() => worker.run(bomb), UnreadableError);
    assertEquals(error.code, "too_complex");
    await worker.end();
  }
  const worker = new JobWorker();
  assertEquals((await worker.run(read("fine"))).kind, "read");
  await worker.end();
});

Deno.test("JobWorker: an abort ends the job, and is no fault of the document", async () => {
  const worker = new JobWorker();
  const stop = new AbortController();
  const running = worker.run(read("x"), { signal: stop.signal });
  stop.abort(new Error("closing"));
  await assertRejects(() => running, Error, "closing");
  await assertRejects(() => worker.run(read("x"), { signal: stop.signal }), Error, "closing");
  await worker.end();
});
