import { assertEquals, assertThrows } from "@std/assert";
import { encodeJob, type Job } from "./job_messages.ts";

const bytes = new TextEncoder().encode("x");

/** The header of the job's frame, as the worker reads it. */
function headerOf(job: Job): unknown {
  const [head] = encodeJob(job);
  const length = new DataView(head!.buffer).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(head!.subarray(4, 4 + length)));
}

Deno.test("encodeJob: a worker gets a job's own fields, and nothing else that the caller's object has", () => {
  const upload = { kind: "upload", contentType: "application/json", several: false } as const;
  const callers = { ...upload, bytes, config: { encryptionKey: "secret" }, tenant: "t" };
  assertEquals(headerOf(callers), { ...upload, sizes: [1] });
  const document = { kind: "document", type: "text/plain" } as const;
  assertEquals(headerOf({ ...document, bytes }), { ...document, sizes: [1] });
});

Deno.test("encodeJob: a job that the worker would reject is not sent", () => {
  const job = { kind: "text", type: "text/plain", maxBytes: 0, bytes } as Job;
  assertThrows(() => encodeJob(job));
});
