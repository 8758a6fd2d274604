import { alarm, type System } from "../system.ts";

/** The server has no limit of its own on how slowly a body may arrive. */
const BODY_MS = 10_000;

/**
 * All bytes of a body, or why not: past `limit` bytes, or not there after `ms` (10 s). What is left of
 * a refused body is not read.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array>,
  { limit, system, ms = BODY_MS }: { limit: number; system: System; ms?: number },
): Promise<Uint8Array<ArrayBuffer> | "too_large" | "too_slow"> {
  const reader = body.getReader();
  const late = Promise.withResolvers<"late">();
  const callOff = alarm(system, ms, () => late.resolve("late"));
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const next = await Promise.race([reader.read(), late.promise]);
      if (next === "late") return await refuse(reader, "too_slow" as const);
      if (next.done) return concat(chunks, size);
      size += next.value.length;
      if (size > limit) return await refuse(reader, "too_large" as const);
      chunks.push(next.value);
    }
  } finally {
    callOff();
  }
}

async function refuse<T>(reader: ReadableStreamDefaultReader<Uint8Array>, why: T): Promise<T> {
  await reader.cancel().catch(() => {});
  return why;
}

function concat(chunks: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
