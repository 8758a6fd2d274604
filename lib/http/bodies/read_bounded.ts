import { concatBytes } from "../../platform/bytes.ts";
import { ApiError, validationError } from "../../schemas/api_error.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { ArrivalRateMonitor, BODY_RATE, type MinimumRate } from "./arrival_rate.ts";
import type { ByteBudget } from "./byte_budget.ts";

/** `toApiError` maps it to a 400 that no client receives, and it is logged at debug level. */
export class ClientDisconnectError extends Error {
  override name = "ClientDisconnectError";
}

/** Larger than any message and almost any agent, so these get through a flood of large bodies. */
const UNCOUNTED_BYTES = 64 * 1024;

/**
 * Deno.serve has no such limits of its own. The rest of a rejected body is not read. Throws
 * `ApiError` 503 for a body over 64 KiB when `memory` is exhausted, and `ClientDisconnectError`.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array>,
  { limit, runtime, arrival = BODY_RATE, memory }: {
    limit: number;
    runtime: Pick<Runtime, "now" | "sleep">;
    arrival?: MinimumRate;
    /** The memory that a body is charged to, on behalf of `holders`. */
    memory?: { budget: ByteBudget; holders?: readonly string[] };
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
      if (!memory.budget.take(due, memory.holders)) {
        const headers = { "retry-after": "5" };
        const message = "too many large bodies are being sent at once";
        throw await cancelBody(reader, new ApiError("service_unavailable", message, { headers }));
      }
      taken += due;
    }
  } finally {
    rate.stop();
    memory?.budget.release(taken, memory.holders);
  }
}

export function mediaTypeOf(req: Request): string | undefined {
  return req.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
}

/** Throws 415 for a compressed body, which could decompress to any size. */
export function rejectCompressedBody(req: Request): void {
  const coding = req.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (coding === "identity") return;
  throw new ApiError("unsupported_media_type", "send the body without content-encoding");
}

export function bodyTimeout(): ApiError {
  const message = "the body arrived too slowly: send at least 4 KiB per second";
  return validationError([{ path: "", code: "body_timeout", message }]);
}

/** Only the client's disconnecting makes reading a body fail. */
async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    return await reader.read();
  } catch (cause) {
    throw new ClientDisconnectError("the connection closed before the body was complete", {
      cause,
    });
  }
}

async function cancelBody<T>(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  result: T,
): Promise<T> {
  await reader.cancel().catch(() => {});
  return result;
}
