import { SignInService } from "../accounts/accounts.ts";
import { KnownBrowserTokens } from "../accounts/known_browsers.ts";
import { PasswordGate } from "../accounts/password_gate.ts";
import { PasswordHasher } from "../accounts/password_hasher.ts";
import { SecurityLog } from "../accounts/security_log.ts";
import { TeamService } from "../accounts/team.ts";
import { UserService } from "../accounts/user_admin.ts";
import { SessionService } from "../admin/session_admin.ts";
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
  accounts: SignInService;
  team: TeamService;
  apiKeys: ApiKeyStore;
  sessions: SessionService;
  idempotencyRecords: IdempotencyStore;
  audit: AuditStore;
  securityLog: SecurityLog;
  users: UserService;
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
  const browsers = new KnownBrowserTokens(signer, system);
  const { setupToken } = config;
  const accounts = new SignInService(kv, { system, log, setupToken, hasher, gate, browsers });
  return {
    accounts,
    team: new TeamService(kv, { system, hasher, gate, accounts }),
    securityLog,
    users: new UserService(kv, system),
    apiKeys: new ApiKeyStore(kv, { system, signer, onRevoked }),
    sessions: new SessionService(new SessionStore(kv, system), { system, onRevoked }),
    idempotencyRecords: new IdempotencyStore(kv, { system, sealer: sealer(IDEMPOTENCY_PURPOSE) }),
    audit: new AuditStore(kv),
  };
}
