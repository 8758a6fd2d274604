import { API_KEY_PATTERN } from "../store/credentials/api_key_format.ts";
import type { SessionStore } from "../store/credentials/session_store.ts";
import type { DoctorReason } from "../schemas/doctor.ts";
import type { Case } from "./case.ts";

/** Whether the token in the tag would be taken. It says nothing about another tenant's token. */
export async function checkToken(
  { tag, looked, text, tenant, agent, origin }: Case,
  sessions: Pick<SessionStore, "find">,
): Promise<DoctorReason> {
  if (API_KEY_PATTERN.test(text)) return "api_key_in_page";
  if (tag === undefined) return looked ? "no_tag" : "not_read";
  const token = tag.get("data-session-token")?.trim() ?? "";
  if (token === "") return tag.get("data-session-endpoint") ? "fine" : "token_missing";
  const { session, live } = await sessions.find(token) ?? {};
  if (session === undefined || session.tenant !== tenant) return "token_unknown";
  if (session.agentId !== agent.id) return "token_other_agent";
  if (session.origin !== origin) return "token_other_origin";
  if (!live) return "token_expired";
  return session.messages >= session.messageCap ? "token_used_up" : "fine";
}
