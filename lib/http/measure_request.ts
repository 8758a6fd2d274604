import type { Context } from "fresh";
import type { State } from "../../utils.ts";
import { toPageError } from "./error_response.ts";
import { recordLimit } from "./http_metrics.ts";
import { isEventStream } from "./sse_response.ts";

/** The route of an address that there is not. */
const UNKNOWN_ROUTE = "unknown";

/** Counts a request by what it is answered with. */
export async function measureRequest(
  ctx: Context<State>,
  answer: () => Promise<Response>,
): Promise<Response> {
  const { metrics: { http }, tracing } = ctx.state.service;
  const { method } = ctx.req;
  const route = ctx.route ?? UNKNOWN_ROUTE;
  tracing?.nameRequest({ method, route });
  const count = (status: number) => http.onResponse({ route, method, status });
  try {
    const response = await answer();
    count(response.status);
    if (isEventStream(response)) http.onStream(ctx.info.completed);
    return response;
  } catch (error) {
    // The page of this error is rendered outside of all middleware.
    count(toPageError(error)?.status ?? 500);
    recordLimit(http, error);
    throw error;
  }
}
