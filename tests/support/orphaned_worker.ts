/**
 * A process that starts a worker, prints the worker's id once it has begun a job, and then waits to be
 * killed. The first argument says whether the job is endless.
 */
import { WorkerProcess } from "@/lib/knowledge/ingest/worker/worker_process.ts";
import { endlessPdf } from "./make_pdf.ts";
import { testWorker } from "./worker.ts";

if (import.meta.main) {
  const worker = new WorkerProcess(testWorker({ cpuSeconds: 2 }));
  const text = new TextEncoder().encode("words");
  await worker.run({ kind: "document", bytes: text, type: "text/plain" }, { timeMs: 20_000 });
  if (Deno.args[0] === "busy") {
    const job = { kind: "document", bytes: endlessPdf(), type: "application/pdf" } as const;
    worker.run(job, { timeMs: 1_000_000 }).catch(() => {});
  }
  console.log(worker.pid);
  setInterval(() => {}, 1_000);
}
