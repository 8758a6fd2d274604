import { parseOrThrow } from "../schemas/api_error.ts";
import { unansweredQuerySchema } from "../schemas/unanswered.ts";
import type { UnansweredFilter } from "../services/unanswered/unanswered.ts";
import { agentIdParam } from "./request_params.ts";

/** `?agentId&reason&state&from&to` of the list of unanswered questions. Throws 400. */
export function unansweredParams(url: URL): UnansweredFilter {
  const read = (name: string) => url.searchParams.get(name) ?? undefined;
  const query = parseOrThrow(unansweredQuerySchema, {
    ...{ reason: read("reason"), state: read("state"), from: read("from"), to: read("to") },
  });
  return { agentId: agentIdParam(url), ...query };
}
