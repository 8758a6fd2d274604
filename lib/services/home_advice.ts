import type { TeamService } from "./team_service.ts";
import type { SignedInUser } from "./signed_in_user.ts";
import type { ApiKeyStore } from "../store/credentials/api_key_store.ts";
import {
  type DismissalStore,
  DISMISSIBLE,
  type Dismissible,
} from "../store/tenants/dismissal_store.ts";
import type { TenantStore } from "../store/tenants/tenant_store.ts";
import type { UsageSummary } from "../billing/usage_report.ts";
import type { AgentService } from "./agent_service.ts";
import { lacksVisitorLimits } from "../billing/visitor_limits.ts";

/** Suggests limiting one visitor's share of the tenant's day, while no limit is set. */
export interface VisitorLimitsAdvice {
  tenant: string;
  canSet: boolean;
  canDismiss: boolean;
  /** E-mail addresses of the operators in the reader's tenant. */
  operators: string[];
  /** What one visitor can use up today: streams, and micro-USD. */
  streams: number;
  dailyCost: number;
}

export type SetupStep = { name: "agent" | "key" | "chat" | "visitor_limits"; done: boolean };

export interface HomeAdvice {
  /** The setup steps, until all are done or dismissed. */
  gettingStarted: SetupStep[] | undefined;
  visitorLimits: VisitorLimitsAdvice | undefined;
}

export interface HomeAdviceDeps {
  agents: Pick<AgentService, "list">;
  apiKeys: Pick<ApiKeyStore, "list">;
  dismissals: Pick<DismissalStore, "list">;
  team: Pick<TeamService, "members">;
  tenants: Pick<TenantStore, "plan">;
  demoAgent: { tenant: string; id: string } | undefined;
}

export async function readHomeAdvice(
  user: SignedInUser,
  deps: HomeAdviceDeps,
  { usage }: { usage: UsageSummary },
): Promise<HomeAdvice> {
  const { tenant } = user;
  const [plan, dismissed, steps] = await Promise.all([
    deps.tenants.plan(tenant),
    deps.dismissals.list(tenant),
    setupSteps(tenant, deps, usage),
  ]);
  const isSettingUp = steps.some(({ done }) => !done) && !dismissed.has("getting_started");
  const unlimited = lacksVisitorLimits(plan);
  const isOffered = unlimited && !dismissed.has("visitor_limits");
  const limits: SetupStep = { name: "visitor_limits", done: !unlimited };
  return {
    gettingStarted: isSettingUp ? [...steps, limits] : undefined,
    visitorLimits: isOffered ? await adviceFor(user, deps, usage) : undefined,
  };
}

async function setupSteps(
  tenant: string,
  { agents, apiKeys, demoAgent }: HomeAdviceDeps,
  { hasRun }: UsageSummary,
): Promise<SetupStep[]> {
  const [{ data: newest }, keys] = await Promise.all([
    agents.list(tenant, { limit: 2 }),
    apiKeys.list(tenant),
  ]);
  return [
    { name: "agent", done: newest.some(({ id }) => id !== demoAgent?.id) },
    { name: "key", done: keys.length > 0 },
    { name: "chat", done: hasRun },
  ];
}

async function adviceFor(
  { tenant, role, operator }: SignedInUser,
  { team }: HomeAdviceDeps,
  { maxStreams, hardLimit }: UsageSummary,
): Promise<VisitorLimitsAdvice> {
  const members = operator ? [] : await team.members(tenant);
  return {
    tenant,
    canSet: operator,
    canDismiss: role !== "viewer",
    operators: members.filter((one) => one.operator).map(({ email }) => email),
    streams: maxStreams,
    dailyCost: hardLimit,
  };
}

export function isDismissible(advice: string): advice is Dismissible {
  return Object.hasOwn(DISMISSIBLE, advice);
}
