/** Messages after a redirect, by the name in `?notice=`; never text from the URL. */
const MESSAGES = {
  agent_created: "Agent created.",
  agent_saved: "Changes saved.",
  agent_restored: "The earlier version was restored as a new version.",
  agent_deleted: "Agent deleted.",
  share_on: "Share link switched on. Anyone who has it can chat.",
  share_off: "Share link switched off. Chats of its page have ended.",
  site_added: "Site added. It can embed the agent from now on.",
  site_removed: "Site removed. It can no longer embed the agent.",
  run_stopped: "Answer stopped. What was written until then is kept.",
  conversation_deleted: "Conversation deleted.",
  base_created: "Knowledge base created. Add its documents below.",
  base_saved: "Changes saved.",
  base_deleted: "Knowledge base and its documents deleted.",
  documents_added: "Uploaded. It can be searched when processing finishes.",
  document_again: "Processing again. The old version stays searchable until processing finishes.",
  document_replaced: "Replaced. The old version stays searchable until processing finishes.",
  document_deleted: "Document deleted.",
  key_revoked: "Key revoked. Requests with it are rejected from now on.",
  key_overlap_ended: "The old secret is rejected from now on.",
  member_changed: "Role changed.",
  member_removed: "Member removed and signed out.",
  invitation_withdrawn: "Invitation revoked. Its link has expired.",
  password_changed: "Password changed. You were signed out everywhere else.",
  signed_out_elsewhere: "You were signed out everywhere else.",
  secret_set: "Secret saved. Its value will not be shown again.",
  secret_deleted: "Secret deleted.",
  plan_saved: "Plan saved. It takes effect with the next request.",
  visitor_limits_set:
    "Limits for one visitor set. An operator can change or remove them in the tenant's plan.",
  advice_dismissed: "Dismissed for everyone in your organization.",
  model_saved: "Model saved. It takes effect with the next message.",
  model_deleted: "Model removed from the catalogue.",
  models_added: "Models added. Agents can use them from the next message on.",
  slot_saved: "The provider answered. Its connection is saved and used from the next message on.",
  slot_emptied: "Disconnected. Its models are rejected from now on.",
} as const;

const WARNINGS = {
  key_made_before:
    "The key already exists, and its secret was shown once. If you did not copy it, rotate the key.",
  key_rotated_before:
    "The key already has a new secret, which was shown once. If you did not copy it, rotate the key again.",
  link_made_before:
    "The link was already created and shown once. If you did not copy it, create another.",
  tenant_made_before: "The tenant was already created, and the link for its owner was shown once.",
} as const;

export type FlashMessage = { kind: "done" | "warning"; text: string };

export function flashMessageOf(url: URL): FlashMessage | undefined {
  const name = url.searchParams.get("notice") ?? "";
  if (Object.hasOwn(WARNINGS, name)) {
    return { kind: "warning", text: WARNINGS[name as keyof typeof WARNINGS] };
  }
  if (!Object.hasOwn(MESSAGES, name)) return undefined;
  return { kind: "done", text: MESSAGES[name as keyof typeof MESSAGES] };
}

export function withFlashMessage(
  path: string,
  notice: keyof typeof MESSAGES | keyof typeof WARNINGS,
): string {
  return `${path}${path.includes("?") ? "&" : "?"}notice=${notice}`;
}
