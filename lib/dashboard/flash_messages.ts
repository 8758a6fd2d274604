import { msg, t } from "./texts/translate.ts";

/** Messages after a redirect, by the name in `?notice=`; never text from the URL. */
const MESSAGES = {
  agent_created: msg("Agent created."),
  agent_saved: msg("Changes saved."),
  agent_restored: msg("The earlier version was restored as a new version."),
  agent_published: msg("Published."),
  canary_started: msg("Canary started. New conversations are now split between the two versions."),
  canary_ended: msg("Canary ended. All conversations use the published version."),
  gate_saved: msg("Saved. The requirement applies to the next version you publish."),
  agent_deleted: msg("Agent deleted."),
  test_set_created: msg("Test set created. Add its cases below."),
  test_set_saved: msg("Changes saved."),
  test_set_deleted: msg("Test set deleted."),
  test_run_deleted: msg("Run deleted."),
  cases_added: msg("Cases added."),
  case_added: msg("Added to the test set. Review its expectations."),
  case_saved: msg("Case saved."),
  case_deleted: msg("Case deleted."),
  rehearsal_deleted: msg("Rehearsal deleted."),
  share_on: msg("Share link switched on. Anyone who has it can chat."),
  share_off: msg("Share link switched off. Chats on its page have ended."),
  site_added: msg("Site added. It can embed the agent from now on."),
  site_removed: msg("Site removed. It can no longer embed the agent."),
  question_dismissed: msg("Dismissed. It comes back if it is asked again."),
  answer_written: msg("Answer added to the knowledge base."),
  run_stopped: msg("Answer stopped. What was written so far is kept."),
  handoff_taken: msg("You have the conversation. The visitor sees your name."),
  handoff_returned: msg("Handed back. The agent answers the visitor's next message."),
  handoff_closed: msg("Closed."),
  conversation_deleted: msg("Conversation deleted."),
  memory_deleted: msg("The agent remembers nothing about this visitor now."),
  base_created: msg("Knowledge base created. Add its documents below."),
  base_saved: msg("Changes saved."),
  base_deleted: msg("Knowledge base and its documents deleted."),
  documents_added: msg("Uploaded. It can be searched when processing finishes."),
  document_again: msg(
    "Processing again. The old version stays searchable until processing finishes.",
  ),
  document_replaced: msg("Replaced. The old version stays searchable until processing finishes."),
  document_deleted: msg("Document deleted."),
  source_saved: msg("Changes saved."),
  source_deleted: msg("Website deleted."),
  key_revoked: msg("Key revoked. Requests with it are rejected from now on."),
  key_restricted: msg("Restrictions saved. They apply from the next request on."),
  key_overlap_ended: msg("The old secret is rejected from now on."),
  member_changed: msg("Role changed."),
  tenant_joined: msg("You joined the team. Switch between your tenants in the menu."),
  tenant_left: msg("You left the tenant."),
  tenant_signed_out: msg(
    "An owner of that tenant signed you out. Sign out and in again to switch to it.",
  ),
  member_removed: msg("Member removed and signed out."),
  invitation_withdrawn: msg("Invitation revoked. Its link no longer works."),
  password_changed: msg("Password changed. You were signed out everywhere else."),
  passkey_added: msg("Passkey added. You can sign in with it from now on."),
  passkey_removed: msg("Passkey removed. You were signed out everywhere else."),
  totp_added: msg("Authenticator app set up. Signing in asks for its code from now on."),
  totp_removed: msg("Authenticator app removed. You were signed out everywhere else."),
  factors_reset: msg("Second factors reset. The member was signed out everywhere."),
  member_signed_out: msg("The member was signed out everywhere."),
  factor_required: msg("Saved. Everyone on the team needs a second factor from now on."),
  factor_optional: msg("Saved. A second factor is optional from now on."),
  session_ended: msg("Signed out there."),
  oidc_saved: msg("Saved. Test the connection before your team uses it."),
  oidc_removed: msg("Identity provider removed."),
  oidc_linked: msg("Identity provider linked. You can sign in there from now on."),
  oidc_unlinked: msg("Identity provider unlinked."),
  signed_out_elsewhere: msg("You were signed out everywhere else."),
  secret_set: msg("Secret saved. Its value will not be shown again."),
  secret_deleted: msg("Secret deleted."),
  mcp_connected: msg("Connected. Tools of this server work from the next message on."),
  mcp_disconnected: msg("Disconnected. Its tokens were deleted."),
  operator_granted: msg("Operator added. Their next request has the operator's pages."),
  operator_revoked: msg("Operator role removed."),
  tenant_renamed: msg("Tenant renamed."),
  tenant_suspended: msg("Tenant suspended. Its requests are rejected from now on."),
  tenant_resumed: msg("Tenant resumed. Its requests are accepted from now on."),
  tenant_deleting: msg(
    "The tenant is being deleted. Its requests are rejected, and it leaves this list when nothing of it is left.",
  ),
  plan_saved: msg("Plan saved. It takes effect with the next request."),
  visitor_limits_set: msg(
    "Limits for one visitor set. An operator can change or remove them in the tenant's plan.",
  ),
  advice_dismissed: msg("Dismissed for everyone in your organization."),
  model_saved: msg("Model saved. It takes effect with the next message."),
  model_deleted: msg("Model removed."),
  models_added: msg("Models added. Agents can use them from the next message on."),
  slot_saved: msg(
    "The provider answered. Its connection is saved and used from the next message on.",
  ),
  slot_emptied: msg("Disconnected. Its models are rejected from now on."),
} as const;

const WARNINGS = {
  key_made_before: msg(
    "The key already exists, and its secret was shown once. If you did not copy it, rotate the key.",
  ),
  key_rotated_before: msg(
    "The key already has a new secret, which was shown once. If you did not copy it, rotate the key again.",
  ),
  link_made_before: msg(
    "The link was already created and shown once. If you did not copy it, create another.",
  ),
  tenant_made_before: msg(
    "The tenant was already created, and the link for its owner was shown once.",
  ),
} as const;

export type FlashMessage = { kind: "done" | "warning"; text: string };

export function flashMessageOf(url: URL): FlashMessage | undefined {
  const name = url.searchParams.get("notice") ?? "";
  if (Object.hasOwn(WARNINGS, name)) {
    return { kind: "warning", text: t(WARNINGS[name as keyof typeof WARNINGS]) };
  }
  if (!Object.hasOwn(MESSAGES, name)) return undefined;
  return { kind: "done", text: t(MESSAGES[name as keyof typeof MESSAGES]) };
}

export function withFlashMessage(
  path: string,
  notice: keyof typeof MESSAGES | keyof typeof WARNINGS,
): string {
  return `${path}${path.includes("?") ? "&" : "?"}notice=${notice}`;
}
