import { Accounts } from "../accounts/accounts.ts";
import { KnownBrowsers } from "../accounts/known_browsers.ts";
import { PasswordGate } from "../accounts/password_gate.ts";
import { PasswordHasher } from "../accounts/password_hasher.ts";
import { SecurityLog } from "../accounts/security_log.ts";
import { Team } from "../accounts/team.ts";
import { UserAdmin } from "../accounts/user_admin.ts";
import { SessionAdmin } from "../admin/session_admin.ts";
import type { Signer } from "../credentials/hashing.ts";
import { ApiKeyStore } from "../storage/api_key_store.ts";
import { AuditStore } from "../storage/audit_store.ts";
import { IDEMPOTENCY_PURPOSE, IdempotencyStore } from "../storage/receipt_store.ts";
import { SessionStore } from "../storage/session_store.ts";
import { SignInFailureStore } from "../storage/sign_in_failure_store.ts";
import { UserStore } from "../storage/user_store.ts";
import type { CoreDeps } from "./basis.ts";

/** Who may ask, in the dashboard, with a key or with a session, and what they did. */
export interface AuthServices {
  accounts: Accounts;
  team: Team;
  apiKeys: ApiKeyStore;
  sessions: SessionAdmin;
  idempotencyRecords: IdempotencyStore;
  audit: AuditStore;
  securityLog: SecurityLog;
  users: UserAdmin;
}

export function openAuth(
  { config, kv, log, passwordCost, sealer, system }: CoreDeps,
  { signer, onRevoked }: {
    signer: Signer;
    /** Told of a key or session that is no longer good. */
    onRevoked: (tenant: string, id: string) => Promise<void>;
  },
): AuthServices {
  const securityLog = new SecurityLog({ kv, users: new UserStore(kv, system), system, log });
  const failures = new SignInFailureStore(kv, system);
  const gate = new PasswordGate({ failures, system, events: securityLog });
  const hasher = new PasswordHasher({ randomBytes: system.randomBytes, cost: passwordCost });
  const browsers = new KnownBrowsers(signer, system);
  const { setupToken } = config;
  const accounts = new Accounts(kv, { system, log, setupToken, hasher, gate, browsers });
  return {
    accounts,
    team: new Team(kv, { system, hasher, gate, accounts }),
    securityLog,
    users: new UserAdmin(kv, system),
    apiKeys: new ApiKeyStore(kv, { system, signer, onRevoked }),
    sessions: new SessionAdmin(new SessionStore(kv, system), { system, onRevoked }),
    idempotencyRecords: new IdempotencyStore(kv, { system, sealer: sealer(IDEMPOTENCY_PURPOSE) }),
    audit: new AuditStore(kv),
  };
}
