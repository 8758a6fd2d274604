import { Accounts } from "../accounts/accounts.ts";
import { PasswordHasher } from "../accounts/password_hasher.ts";
import { Team } from "../accounts/team.ts";
import { SessionAdmin } from "../admin/session_admin.ts";
import type { Signer } from "../credentials/hashing.ts";
import { ApiKeyStore } from "../storage/api_key_store.ts";
import { AuditStore } from "../storage/audit_store.ts";
import { RECEIPTS_PURPOSE, ReceiptStore } from "../storage/receipt_store.ts";
import { SessionStore } from "../storage/session_store.ts";
import type { Basis } from "./basis.ts";

/** Who may ask, in the dashboard, with a key or with a session, and what they did. */
export interface Callers {
  accounts: Accounts;
  team: Team;
  apiKeys: ApiKeyStore;
  sessions: SessionAdmin;
  receipts: ReceiptStore;
  audit: AuditStore;
}

export function openCallers(
  { config, kv, system, sealer }: Basis,
  { signer, onRevoked }: {
    signer: Signer;
    /** Told of a key or session that is no longer good. */
    onRevoked: (tenant: string, id: string) => Promise<void>;
  },
): Callers {
  const hasher = new PasswordHasher({ randomBytes: system.randomBytes });
  return {
    accounts: new Accounts(kv, { system, setupToken: config.setupToken, hasher }),
    team: new Team(kv, { system, hasher }),
    apiKeys: new ApiKeyStore(kv, { system, signer, onRevoked }),
    sessions: new SessionAdmin(new SessionStore(kv, system), { system, onRevoked }),
    receipts: new ReceiptStore(kv, { system, sealer: sealer(RECEIPTS_PURPOSE) }),
    audit: new AuditStore(kv),
  };
}
