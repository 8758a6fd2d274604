import type { Context } from "fresh";
import type { State } from "@/utils.ts";

/** Logs what failed on our side with its stack; the caller is told neither. */
export function logFault(ctx: Context<State>, thrown: unknown): void {
  const error = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
  const { requestId, service } = ctx.state;
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  service.log.error("request failed", { requestId, route: ctx.route, error, cause });
}
