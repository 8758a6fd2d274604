/** What a page may say after a redirect, by the name in `?notice=`: fixed words, never echoed text. */
const MESSAGES = {
  agent_created: "Agent created.",
  agent_saved: "Changes saved.",
  agent_restored: "The earlier version is back, as a new version.",
  agent_deleted: "Agent deleted.",
  conversation_deleted: "Conversation deleted.",
  base_created: "Knowledge base created. Add its documents below.",
  base_saved: "Changes saved.",
  base_deleted: "Knowledge base deleted, with its documents.",
  documents_added: "Sent. What it holds is found as soon as it has been read.",
  document_again: "It is being read again. What was found of it before is found until then.",
  document_replaced: "Replaced. What was there before is found until the new one has been read.",
  document_deleted: "Document deleted.",
  key_revoked: "Key revoked. Requests with it are refused from now on.",
  key_overlap_ended: "The old secret is refused from now on.",
  member_changed: "Role changed.",
  member_removed: "Removed. Their sign-ins ended at once.",
  invitation_withdrawn: "Invitation withdrawn. Its link works no more.",
  password_changed: "Password changed. You are signed out everywhere else.",
  signed_out_elsewhere: "You are signed out everywhere else.",
  secret_set: "Secret saved. Its value will not be shown again.",
  secret_deleted: "Secret deleted.",
  plan_saved: "Plan saved. It holds from the next request on.",
  visitor_limits_set:
    "Limits for one visitor set. An operator can change or remove them in the tenant's plan.",
  advice_dismissed: "Dismissed for everyone in your organization.",
  model_saved: "Model saved. It holds from the next message on.",
  model_deleted: "Model removed from the catalogue.",
  slot_saved: "The vendor answered. Its slot is saved and used from the next message on.",
  slot_emptied: "Slot emptied. Its models are refused from now on.",
} as const;

/** The same of what was not done, because it had been done before. */
const WARNINGS = {
  key_made_before:
    "The key was created already, and its secret was shown once. If you did not copy it, rotate the key.",
  key_rotated_before:
    "The key has its new secret already, which was shown once. If you did not copy it, rotate it again.",
  link_made_before:
    "The link was made already, and was shown once. If you did not copy it, make another.",
  tenant_made_before: "The tenant was created already, and the link for its owner was shown once.",
} as const;

export type FlashMessageName = keyof typeof MESSAGES | keyof typeof WARNINGS;

/** One notice as a page shows it. */
export interface FlashMessage {
  kind: "done" | "warning";
  text: string;
}

/** The notice that `url` names. */
export function flashMessageOf(url: URL): FlashMessage | undefined {
  const name = url.searchParams.get("notice") ?? "";
  if (Object.hasOwn(WARNINGS, name)) {
    return { kind: "warning", text: WARNINGS[name as keyof typeof WARNINGS] };
  }
  if (!Object.hasOwn(MESSAGES, name)) return undefined;
  return { kind: "done", text: MESSAGES[name as keyof typeof MESSAGES] };
}

/** `path` with the notice to show there. */
export function withFlashMessage(path: string, notice: FlashMessageName): string {
  return `${path}?notice=${notice}`;
}
