import { ApiError } from "../schemas/api_error.ts";
import { conversationName } from "../store/conversations/conversation_record.ts";
import type { Session } from "../store/credentials/session_store.ts";
import type { RunRecord } from "../store/runs/run_record.ts";
import { checkSessionOrigin } from "./authenticate_chat.ts";
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
  const { service } = state;
  const access = { runId, counted: true, onIdentified };
  const { tenant, found, caller } = await findAccessibleRun(req, state, access);
  const record = await service.feedback.findEndedRun(tenant, runId);
  if (found.state === "running") return { tenant, record };
  if (record === undefined) notFound();
  // The frames, which name the run's page, are stored for minutes; its record says the rest.
  if (found.state === "expired" && caller !== undefined) {
    const { session } = caller;
    if (!await canRate(record, caller)) notFound();
    const agent = await service.agents.find(tenant, session.agentId);
    checkSessionOrigin(req, session, agent);
  }
  return { tenant, record };
}

/** The same rule as for following a run, by the page of its stored conversation. */
async function canRate(
  record: RunRecord,
  { session, live }: { session: Session; live: boolean },
): Promise<boolean> {
  if (record.source.kind !== "session") return false;
  if (record.source.id === session.id) return true;
  if (!live || record.agentId !== session.agentId || record.page === undefined) return false;
  const of = { ...session, visitor: session.visitor?.hash };
  const { page } = await conversationName(record.conversationId, of);
  return record.page === page;
}

function notFound(): never {
  throw new ApiError("not_found", "there is no such run");
}
