import { VisitorAccounts } from "../../billing/visitor_accounts.ts";
import { InstallationSetup } from "../../services/installation_setup.ts";
import { PasskeyChallenges } from "../../services/factors/passkey_challenges.ts";
import { Passkeys } from "../../services/factors/passkeys.ts";
import { SecondFactors } from "../../services/factors/second_factors.ts";
import { FACTORS_PURPOSE, TotpSecrets } from "../../store/users/totp_secrets.ts";
import { AccountSecurityStore } from "../../store/users/account_security_store.ts";
import { isOnLoopbackOnly } from "../config/config.ts";
import { OwnSessions } from "../../services/own_sessions.ts";
import { SignInService } from "../../services/sign_in_service.ts";
import { KnownBrowserTokens } from "../../services/known_browser_tokens.ts";
import { PasswordGate } from "../../services/password_gate.ts";
import { PasswordHasher } from "../../platform/crypto/password_hasher.ts";
import { SecurityLog } from "../../services/security_log.ts";
import { Memberships } from "../../services/tenants/memberships.ts";
import { TeamService } from "../../services/team_service.ts";
import { UserService } from "../../services/user_service.ts";
import { ProofNonces } from "../../services/proof_nonces.ts";
import { SessionService } from "../../services/session_service.ts";
import type { Signer } from "../../platform/crypto/signer.ts";
import { ApiKeyStore } from "../../store/credentials/api_key_store.ts";
import { AuditStore } from "../../store/audit/audit_store.ts";
import { IDEMPOTENCY_PURPOSE, IdempotencyStore } from "../../store/idempotency_store.ts";
import { ShareStore } from "../../store/agents/share_store.ts";
import { SessionStore } from "../../store/credentials/session_store.ts";
import { SignInFailureStore } from "../../store/users/sign_in_failure_store.ts";
import { OidcIdentityStore } from "../../store/oidc/oidc_identity_store.ts";
import { MembershipStore } from "../../store/users/membership_store.ts";
import { SignInStore } from "../../store/users/sign_in_store.ts";
import { UserStore } from "../../store/users/user_store.ts";
import { AccountLinkStore } from "../../store/users/account_link_store.ts";
import { ResetRequests } from "../../services/mail/reset_requests.ts";
import { openMailer } from "./open_mailer.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { OpenedOidc } from "./open_oidc.ts";

export function openAuth(
  { committer, config, content, kv, log, passwordCost, sealer, runtime, tenants }: CoreDeps,
  { signer, oidc, onRevoked }: {
    signer: Signer;
    oidc: OpenedOidc;
    onRevoked: (tenant: string, id: string) => Promise<void>;
  },
) {
  const securityLog = new SecurityLog({ kv, users: new UserStore(kv, runtime), runtime, log });
  const failures = new SignInFailureStore(kv, runtime);
  const gate = new PasswordGate({ failures, runtime, events: securityLog });
  const hasher = new PasswordHasher({ randomBytes: runtime.randomBytes, cost: passwordCost });
  const browsers = new KnownBrowserTokens(signer, runtime);
  const users = new UserStore(kv, runtime);
  const security = new AccountSecurityStore(kv, runtime);
  const signIn = new SignInService(kv, {
    ...{ runtime, log, hasher, gate, browsers, security, oidc: oidc.sessions },
    operatorsNeedFactor: !isOnLoopbackOnly(config),
  });
  const factors = new SecondFactors({
    ...{ store: security, failures, signer, runtime },
    secrets: new TotpSecrets(sealer(FACTORS_PURPOSE)),
  });
  const shares = new ShareStore(kv, runtime);
  const visitors = new VisitorAccounts({ kv, committer, content, runtime });
  const sessions = new SessionStore(kv, runtime, { content });
  const nonces = new ProofNonces(signer, runtime);
  const mailer = openMailer(config, { runtime, log });
  const links = new AccountLinkStore(kv, runtime);
  return {
    mailer,
    resetRequests: mailer && new ResetRequests({ users, links, runtime, mailer, log }),
    signIn,
    ownSessions: new OwnSessions(kv, { runtime, signIn, oidc: oidc.sessions }),
    factors,
    passkeys: new Passkeys({
      challenges: new PasskeyChallenges(kv, { signer, runtime }),
      ...{ store: security, users, runtime },
    }),
    setup: new InstallationSetup(kv, {
      ...{ runtime, hasher, gate, signIn, setupToken: config.setupToken },
    }),
    oidc: oidc.connectionsWith(signIn),
    oidcSessions: oidc.sessions,
    shares,
    memberships: new Memberships({
      ...{ kv, runtime, tenants, users },
      identities: new OidcIdentityStore(kv, runtime),
      memberships: new MembershipStore(kv, runtime),
      signIns: new SignInStore(kv, runtime),
    }),
    team: new TeamService(kv, { runtime, signIn, factors }),
    securityLog,
    users: new UserService(kv, runtime),
    apiKeys: new ApiKeyStore(kv, { runtime, signer, onRevoked }),
    sessions: new SessionService(sessions, {
      ...{ runtime, onRevoked, shares, visitors, nonces, tenants },
    }),
    proofNonces: nonces,
    visitors,
    idempotencyRecords: new IdempotencyStore(kv, { runtime, sealer: sealer(IDEMPOTENCY_PURPOSE) }),
    audit: new AuditStore(kv),
  };
}
