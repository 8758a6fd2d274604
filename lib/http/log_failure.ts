import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { ApiError } from "../errors.ts";
import { ClientDisconnectError } from "./client_disconnect_error.ts";

/** The status nginx logs when the client closed the request; it is never sent. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Logs a request that ended in a thrown value: what failed on our side with its stack, of which the
 * caller is told nothing; a client that broke off in one line at debug level. A refusal that the
 * caller was told, as `status`, is not logged.
 */
export function logFailure(
  ctx: Context<State>,
  { thrown, status }: { thrown: unknown; status: number },
): void {
  const { requestId, service } = ctx.state;
  if (thrown instanceof ClientDisconnectError) {
    const fields = { requestId, route: ctx.route, status: CLIENT_CLOSED_REQUEST };
    service.log.debug("client disconnected while sending its body", fields);
    return;
  }
  const isRefusal = thrown instanceof ApiError && thrown.status === status;
  if (status < 500 || isRefusal) return;
  const error = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  service.log.error("request failed", { requestId, route: ctx.route, error, cause });
}
