import { AUDIT_KINDS, type AuditEntry, type AuditKind } from "../store/audit/audit_record.ts";

/** What people call the things of the audit log. */
const NOUNS: Record<AuditKind, string> = {
  agent: "agent",
  "knowledge base": "knowledge base",
  document: "document",
  key: "API key",
  secret: "secret",
  user: "user",
  invite: "invitation",
  plan: "plan",
  tenant: "tenant",
  model: "model",
  slot: "model provider",
  "sign-in": "sign-in",
  access: "access",
  advice: "suggestion",
  conversation: "conversation",
};

const VERBS: Readonly<Record<string, string>> = {
  create: "Created",
  change: "Changed",
  replace: "Replaced",
  delete: "Deleted",
  remove: "Removed",
  revoke: "Revoked",
  rotate: "Rotated",
  withdraw: "Revoked",
  dismiss: "Dismissed",
};

const PHRASES: Partial<Record<AuditKind, Readonly<Record<string, string>>>> = {
  agent: {
    share: "Switched on share link of agent",
    "share again": "Replaced share link of agent",
    unshare: "Switched off share link of agent",
  },
  invite: { create: "Invited", join: "Joined" },
  user: {
    join: "Joined",
    "change role": "Changed role of",
    "change password": "Changed password of",
    "reset password": "Reset password of",
    "create reset link": "Created password reset link for",
    "sign out everywhere": "Signed out everywhere:",
  },
  key: { "end overlap": "Ended old secret of API key" },
  slot: { create: "Connected model provider", delete: "Disconnected model provider" },
  "sign-in": {
    "signed in": "Signed in",
    "signed out": "Signed out",
    failed: "Failed to sign in",
    "locked out": "Locked out",
    "slowed down": "Slowed down sign-in",
    refused: "Rejected sign-in",
  },
  conversation: { export: "Exported", stop: "Stopped an answer in conversation" },
  access: {
    "role not allowed": "Rejected: role not allowed",
    "form of another site": "Rejected: form of another site",
  },
};

/** `Created agent`; the name of the thing follows. */
export function auditPhrase({ kind, action }: Pick<AuditEntry, "kind" | "action">): string {
  return PHRASES[kind]?.[action] ?? `${VERBS[action] ?? capitalize(action)} ${NOUNS[kind]}`;
}

/** The kinds as the filter lists them. */
export const AUDIT_KIND_LABELS: readonly (readonly [kind: AuditKind, label: string])[] = AUDIT_KINDS
  .map((kind) => [kind, capitalize(NOUNS[kind])]);

function capitalize(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
