import { AUDIT_KINDS, type AuditEntry, type AuditKind } from "../store/audit/audit_entry.ts";
import { msg, t } from "./texts/translate.ts";

/** What people call the things of the audit log. */
const NOUNS: Record<AuditKind, string> = {
  agent: msg("agent"),
  "knowledge base": msg("knowledge base"),
  "web source": msg("website source"),
  "test set": msg("test set"),
  document: msg("document"),
  key: msg("API key"),
  secret: msg("secret"),
  "mcp server": msg("MCP server"),
  user: msg("user"),
  invite: msg("invitation"),
  plan: msg("plan"),
  tenant: msg("tenant"),
  model: msg("model"),
  slot: msg("model provider"),
  "sign-in": msg("sign-in"),
  access: msg("access"),
  advice: msg("suggestion"),
  conversation: msg("conversation"),
};

const VERBS: Readonly<Record<string, string>> = {
  create: msg("Created {thing}"),
  change: msg("Changed {thing}"),
  replace: msg("Replaced {thing}"),
  delete: msg("Deleted {thing}"),
  remove: msg("Removed {thing}"),
  revoke: msg("Revoked {thing}"),
  rotate: msg("Rotated {thing}"),
  withdraw: msg("Revoked {thing}"),
  dismiss: msg("Dismissed {thing}"),
};

const PHRASES: Partial<Record<AuditKind, Readonly<Record<string, string>>>> = {
  agent: {
    share: msg("Switched on share link of agent"),
    "share again": msg("Replaced share link of agent"),
    unshare: msg("Switched off share link of agent"),
    publish: msg("Published agent"),
    "start canary": msg("Started or changed a canary of agent"),
    "end canary": msg("Ended the canary of agent"),
    "roll back canary": msg("Rolled back the canary of agent"),
    "change gate": msg("Changed the required tests of agent"),
    rehearse: msg("Rehearsed agent"),
  },
  "test set": {
    "add cases": msg("Added cases to test set"),
    "change case": msg("Changed a case of test set"),
    "delete case": msg("Deleted a case of test set"),
    run: msg("Ran test set"),
  },
  tenant: {
    rename: msg("Renamed tenant"),
    suspend: msg("Suspended tenant"),
    resume: msg("Resumed tenant"),
    "set up sign-in": msg("Set up the identity provider"),
    "remove sign-in": msg("Removed the identity provider"),
    "change sign-in": msg("Changed the sign-in rules"),
    export: msg("Exported all data of tenant"),
    "export audit log": msg("Downloaded the audit log of"),
    delete: msg("Began to delete tenant"),
    "finish deletion": msg("Finished deleting tenant"),
  },
  invite: { create: msg("Invited"), join: msg("Joined") },
  user: {
    join: msg("Joined"),
    "change role": msg("Changed role of"),
    "grant operator": msg("Granted the operator role to"),
    "revoke operator": msg("Removed the operator role of"),
    "change password": msg("Changed password of"),
    "reset password": msg("Reset password of"),
    "create reset link": msg("Created password reset link for"),
    "request reset link": msg("Requested password reset link for"),
    "link provider": msg("Linked the identity provider to"),
    "unlink provider": msg("Unlinked the identity provider from"),
    "sign out everywhere": msg("Signed out everywhere:"),
    "end sign-ins": msg("Ended all sessions of"),
    "add passkey": msg("Added a passkey to"),
    "remove passkey": msg("Removed a passkey of"),
    "add authenticator app": msg("Added an authenticator app to"),
    "remove authenticator app": msg("Removed the authenticator app of"),
    "new recovery codes": msg("Created recovery codes for"),
    "use recovery code": msg("Used a recovery code of"),
    "reset second factors": msg("Reset the second factors of"),
  },
  "mcp server": {
    connect: msg("Connected MCP server"),
    disconnect: msg("Disconnected MCP server"),
    lose: msg("Lost the connection to MCP server"),
  },
  key: {
    "end overlap": msg("Revoked old secret of API key"),
    restrict: msg("Changed restrictions of API key"),
  },
  slot: { create: msg("Connected model provider"), delete: msg("Disconnected model provider") },
  "sign-in": {
    "signed in": msg("Signed in"),
    "signed out": msg("Signed out"),
    "switched to this tenant": msg("Switched to this tenant:"),
    "end session": msg("Ended a session of"),
    "wrong code": msg("Rejected second factor of"),
    "ended by provider": msg("Signed out by the identity provider:"),
    "ended: another provider": msg("Signed out, because the identity provider changed:"),
    "ended: provider unreachable": msg("Signed out, because the identity provider is unreachable:"),
    failed: msg("Failed to sign in"),
    "locked out": msg("Locked out"),
    "slowed down": msg("Slowed down sign-in"),
    refused: msg("Rejected sign-in"),
  },
  conversation: {
    export: msg("Exported"),
    stop: msg("Stopped an answer in conversation"),
    forget: msg("Deleted what is remembered about the visitor of conversation"),
    approve: msg("Approved a tool call in conversation"),
    decline: msg("Declined a tool call in conversation"),
    take: msg("Took conversation"),
    return: msg("Handed back conversation"),
    close: msg("Closed conversation"),
  },
  access: {
    "role not allowed": msg("Rejected: role not allowed"),
    "form of another site": msg("Rejected: form of another site"),
    "key address not allowed": msg("Rejected: address not allowed for API key"),
  },
};

/** `Created agent`; the name of the thing follows. */
export function auditPhrase({ kind, action }: Pick<AuditEntry, "kind" | "action">): string {
  const phrase = PHRASES[kind]?.[action];
  if (phrase !== undefined) return t(phrase);
  return t(VERBS[action] ?? `${capitalize(action)} {thing}`, { thing: t(NOUNS[kind]) });
}

/** The kinds as the filter lists them. */
export function auditKindLabels(): (readonly [kind: AuditKind, label: string])[] {
  return AUDIT_KINDS.map((kind) => [kind, capitalize(t(NOUNS[kind]))]);
}

function capitalize(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
