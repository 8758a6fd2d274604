import { concatBytes } from "../../platform/bytes.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { ArrivalRateMonitor, BODY_RATE, type MinimumRate } from "./arrival_rate.ts";
import type { ByteBudget } from "./byte_budget.ts";

/**
 * The client disconnected while sending a body. This is not a server error: `toApiError` maps it to a
 * 400 that nobody reads, and it is logged once at debug level.
 */
export class ClientDisconnectError extends Error {
  override name = "ClientDisconnectError";

  constructor(options: ErrorOptions = {}) {
    super("the connection closed before the whole body was there", options);
  }
}

/** No message and hardly an agent is larger: they get through beside any flood of large bodies. */
const UNCOUNTED_BYTES = 64 * 1024;

/** The memory that bodies share, and in whose name a body takes of it. */
export interface BodyMemory {
  budget: ByteBudget;
  holders?: readonly string[];
}

/**
 * All bytes of a body, or why not: past `limit` bytes, or arriving more slowly than `arrival` allows.
 * The server has no limit of its own on that. What is left of a refused body is not read. Throws
 * `ApiError` 503 for a body of more than 64 KiB while there is nothing left of the `memory` that those
 * being read share, and `ClientDisconnectError` when the client breaks off.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array>,
  { limit, runtime, arrival = BODY_RATE, memory }: {
    limit: number;
    runtime: Pick<Runtime, "now" | "sleep">;
    arrival?: MinimumRate;
    memory?: BodyMemory;
  },
): Promise<Uint8Array<ArrayBuffer> | "too_large" | "too_slow"> {
  const reader = body.getReader();
  const rate = new ArrivalRateMonitor(runtime, arrival);
  const chunks: Uint8Array[] = [];
  let size = 0;
  let taken = 0;
  try {
    while (true) {
      const next = await Promise.race([readChunk(reader), rate.tooSlow]);
      if (next === "too_slow") return await cancelBody(reader, next);
      if (next.done) return concatBytes(chunks);
      size += next.value.length;
      rate.addBytes(next.value.length);
      if (size > limit) return await cancelBody(reader, "too_large" as const);
      chunks.push(next.value);
      const due = size > UNCOUNTED_BYTES ? size - taken : 0;
      if (memory === undefined || due === 0) continue;
      if (!memory.budget.take(due, memory.holders)) throw await cancelBody(reader, tooManyBodies());
      taken += due;
    }
  } finally {
    rate.stop();
    memory?.budget.release(taken, memory.holders);
  }
}

/** A body comes from the client alone: where it cannot be read to its end, the client broke off. */
async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (cause) {
    throw new ClientDisconnectError({ cause });
  }
}

function tooManyBodies(): ApiError {
  const headers = { "retry-after": "5" };
  return new ApiError("service_unavailable", "too many large bodies are being sent at once", {
    headers,
  });
}

async function cancelBody<T>(reader: ReadableStreamDefaultReader<Uint8Array>, why: T): Promise<T> {
  await reader.cancel().catch(() => {});
  return why;
}
