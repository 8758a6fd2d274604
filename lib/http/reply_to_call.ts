import type { z } from "zod";
import { ApiError, parseOrThrow } from "../schemas/api_error.ts";
import { CALL_BOUNDS } from "../schemas/limits.ts";
import type { callDecisionSchema, callOutputSchema, CallReply } from "../schemas/waiting_call.ts";
import { parseJson, readJsonText } from "./bodies/read_json.ts";
import { uuidParam } from "./request_params.ts";
import { findAccessibleRun, type RunAccessContext } from "./run_access.ts";
import type { Service } from "./service.ts";

interface CallContext {
  req: Request;
  params: Partial<Record<"runId" | "n", string>>;
  state: RunAccessContext & { service: Pick<Service, "runtime"> };
}

/**
 * Answers a tool call that waits, for everyone who may resume its run. Throws 404 for a call that does not
 * exist or is another's, 409 for one that does not wait any more, and 413 for an output over 256 KiB.
 */
export async function replyToCall(
  { req, params, state }: CallContext,
  schema: typeof callDecisionSchema | typeof callOutputSchema,
): Promise<Response> {
  const { runs, runtime } = state.service;
  const text = await readJsonText(req, runtime);
  let reply!: CallReply;
  const onIdentified = () => {
    reply = parseOrThrow<z.ZodType<CallReply>>(schema, parseJson(text));
  };
  const runId = uuidParam(params.runId);
  const n = callNumber(params.n);
  const { tenant, by } = await findAccessibleRun(req, state, {
    runId,
    counted: true,
    onIdentified,
  });
  assertSize(reply);
  await runs.answerCall({ tenant, runId, n }, { reply, by });
  return new Response(null, { status: 204 });
}

/** Throws 404 for anything that is no number of a frame. */
export function callNumber(param: string | undefined): number {
  if (/^[1-9]\d{0,8}$/.test(param ?? "")) return Number(param);
  throw new ApiError("not_found", "there is no such call");
}

/** Throws 413 for an output over 256 KiB. */
export function assertSize(reply: CallReply): void {
  if (!("output" in reply)) return;
  const { length } = new TextEncoder().encode(JSON.stringify(reply.output));
  if (length > CALL_BOUNDS.outputBytes) {
    throw new ApiError("payload_too_large", "the output is larger than 256 KiB");
  }
}
