import { ApiError } from "../schemas/api_error.ts";
import type { RunRecord } from "../store/runs/run_record.ts";
import { findAccessibleRun, type RunAccessContext } from "./run_access.ts";
import type { Service } from "./service.ts";

interface FeedbackContext extends RunAccessContext {
  service: RunAccessContext["service"] & Pick<Service, "feedback">;
}

/**
 * The run whose answer the caller may rate: one that it may resume, also when its frames are gone. The
 * record is absent while the run is active. Throws 404 for others, as for an unknown run.
 */
export async function findRatableRun(
  req: Request,
  state: FeedbackContext,
  { runId, onIdentified }: { runId: string; onIdentified?: () => void },
): Promise<{ tenant: string; record: RunRecord | undefined }> {
  const access = { runId, counted: true, onIdentified };
  const { tenant, found } = await findAccessibleRun(req, state, access);
  const record = await state.service.feedback.findEndedRun(tenant, runId);
  if (record === undefined && found.state !== "running") {
    throw new ApiError("not_found", "there is no such run");
  }
  return { tenant, record };
}
