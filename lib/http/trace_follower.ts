import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import type { RunLogHead } from "../store/runs/run_log_head.ts";

/** Adds a span to the trace of a run that lasts while a client follows it with this request. */
export function traceFollower(
  { info, state: { service: { tracing }, requestId } }: Pick<Context<State>, "info" | "state">,
  { traceparent: parent, runId }: Pick<RunLogHead, "traceparent" | "runId">,
): void {
  if (tracing === undefined || parent === undefined) return;
  const attributes = { "agent_chat.run.id": runId, "agent_chat.request.id": requestId };
  const span = tracing.start({ name: "follow", parent, attributes });
  info.completed.then(() => span.end(), () => span.end("client_disconnected"));
}
