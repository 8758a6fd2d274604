import { ApiError } from "../errors.ts";
import { alarm, type System } from "../system.ts";
import type { ByteBudget } from "./byte_budget.ts";

/** The server has no limit of its own on how slowly a body may arrive. */
const BODY_MS = 10_000;

/** No message and hardly an agent is larger: they get through beside any flood of large bodies. */
const SMALL_BYTES = 64 * 1024;

/**
 * All bytes of a body, or why not: past `limit` bytes, or not there after `ms` (10 s). What is left of
 * a refused body is not read. Throws `ApiError` 503 for a body of more than 64 KiB while there is
 * nothing left of the `budget` that those being read share.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array>,
  { limit, system, ms = BODY_MS, budget }: {
    limit: number;
    system: System;
    ms?: number;
    budget?: ByteBudget;
  },
): Promise<Uint8Array<ArrayBuffer> | "too_large" | "too_slow"> {
  const reader = body.getReader();
  const late = Promise.withResolvers<"late">();
  const callOff = alarm(system, ms, () => late.resolve("late"));
  const chunks: Uint8Array[] = [];
  let size = 0;
  let taken = 0;
  try {
    while (true) {
      const next = await Promise.race([reader.read(), late.promise]);
      if (next === "late") return await refuse(reader, "too_slow" as const);
      if (next.done) return concat(chunks, size);
      size += next.value.length;
      if (size > limit) return await refuse(reader, "too_large" as const);
      chunks.push(next.value);
      const due = size > SMALL_BYTES ? size - taken : 0;
      if (budget === undefined || due === 0) continue;
      if (!budget.take(due)) throw await refuse(reader, tooMany());
      taken += due;
    }
  } finally {
    callOff();
    budget?.give(taken);
  }
}

function tooMany(): ApiError {
  const headers = { "retry-after": "5" };
  return new ApiError("service_unavailable", "too many large bodies are being sent at once", {
    headers,
  });
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
