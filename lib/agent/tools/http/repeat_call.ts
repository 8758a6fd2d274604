import type { Egress } from "../../../egress/egress.ts";
import { EgressError } from "../../../egress/egress_error.ts";
import type { Runtime } from "../../../platform/runtime.ts";
import type { ToolCallContext } from "../callable_tool.ts";

export type HttpResponse = Awaited<ReturnType<Egress["fetch"]>>;

/** Waits before the second and the third attempt, milliseconds. */
const DELAYS_MS = [250, 900];
/** A server that asks for more gets no other attempt: the visitor is waiting. */
const MAX_RETRY_AFTER_MS = 10_000;
const BUSY = new Set([502, 503, 504]);

interface RepeatOptions {
  /** A repeated call has no further effect. */
  idempotent: boolean;
  runtime: Pick<Runtime, "now" | "sleep">;
  call: Pick<ToolCallContext, "signal" | "deadline">;
}

/**
 * Makes a call, and makes it again at most twice: if no server has received it, and for an idempotent tool
 * also if its outcome is unknown or the server was busy. A response is final for every other tool, because
 * whatever it says, the call may have had its effect.
 */
export async function repeatCall(
  attempt: () => Promise<HttpResponse>,
  options: RepeatOptions,
): Promise<HttpResponse> {
  for (const delayMs of DELAYS_MS) {
    const result = await attempt().catch((error) => ({ error }));
    const waitMs = Math.max(delayMs, waitBeforeRepeat(result, options));
    if (!await waitFor(waitMs, options)) {
      if ("error" in result) throw result.error;
      return result;
    }
  }
  return await attempt();
}

/** How long the result asks to wait; `Infinity` if the call must not be made again. */
function waitBeforeRepeat(
  result: HttpResponse | { error: unknown },
  { idempotent, runtime }: RepeatOptions,
): number {
  if ("error" in result) {
    const { error } = result;
    if (!(error instanceof EgressError)) return Infinity;
    const isUnknown = error.code === "tool_timeout" || error.code === "tool_unreachable";
    return error.isUnsent || (idempotent && isUnknown) ? 0 : Infinity;
  }
  if (!idempotent || !BUSY.has(result.status)) return Infinity;
  const waitMs = retryAfterMs(result.headers["retry-after"], runtime);
  return waitMs <= MAX_RETRY_AFTER_MS ? waitMs : Infinity;
}

/** Seconds or a date. An unreadable value asks for nothing. */
function retryAfterMs(value: string | undefined, { now }: Pick<Runtime, "now">): number {
  if (value === undefined) return 0;
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 0 : Math.max(0, date - now());
}

/** False if the call must not be made again, or the run ends before. */
async function waitFor(ms: number, { runtime, call }: RepeatOptions): Promise<boolean> {
  const { signal, deadline = Infinity } = call;
  if (ms === Infinity || signal.aborted || runtime.now() + ms >= deadline) return false;
  return await runtime.sleep(ms, signal).then(() => true, () => false);
}
