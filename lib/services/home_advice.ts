import type { TeamService } from "./team_service.ts";
import type { SignedInUser } from "./signed_in_user.ts";
import type { ApiKey, ApiKeyStore } from "../store/credentials/api_key_store.ts";
import type { CatalogueEntry, CatalogueStore } from "../store/providers/catalogue_store.ts";
import type { ModelRegistry } from "../providers/model_registry.ts";
import { DEMO_MODEL } from "../schemas/provider_id.ts";
import { planAllows } from "../billing/model_access.ts";
import {
  type DismissalStore,
  DISMISSIBLE,
  type Dismissible,
} from "../store/tenants/dismissal_store.ts";
import type { Plan, TenantStore } from "../store/tenants/tenant_store.ts";
import type { UsageSummary } from "../billing/usage_report.ts";
import type { AgentService } from "./agent_service.ts";
import { lacksVisitorLimits } from "../billing/visitor_limits.ts";

/** Agents that are looked at for an allowed site. */
const NEWEST_AGENTS = 20;

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

/** The steps from an empty installation to a chat on a site, in their order. */
export interface SetupStep {
  name: "model" | "agent" | "site" | "embed" | "chat";
  done: boolean;
}

export interface HomeAdvice {
  /** The setup steps, until all are done or dismissed. */
  gettingStarted: SetupStep[] | undefined;
  visitorLimits: VisitorLimitsAdvice | undefined;
}

export interface HomeAdviceDeps {
  agents: Pick<AgentService, "list">;
  apiKeys: Pick<ApiKeyStore, "list">;
  catalogue: Pick<CatalogueStore, "list">;
  dismissals: Pick<DismissalStore, "list">;
  providers: Pick<ModelRegistry, "connection">;
  team: Pick<TeamService, "members">;
  tenants: Pick<TenantStore, "plan">;
  demoAgent: { tenant: string; id: string } | undefined;
}

/** `isRequested`: the reader has asked for the setup steps, done or dismissed. */
export async function readHomeAdvice(
  user: SignedInUser,
  deps: HomeAdviceDeps,
  { usage, isRequested = false }: { usage: UsageSummary; isRequested?: boolean },
): Promise<HomeAdvice> {
  const { tenant } = user;
  const [plan, dismissed] = await Promise.all([
    deps.tenants.plan(tenant),
    deps.dismissals.list(tenant),
  ]);
  const steps = await setupSteps(tenant, deps, { usage, plan });
  const isSettingUp = steps.some(({ done }) => !done) && !dismissed.has("getting_started");
  // Before a site is allowed or a chat has happened, there are no visitors.
  const mayHaveVisitors = steps.some(({ name, done }) =>
    done && (name === "site" || name === "chat")
  );
  const isOffered = mayHaveVisitors && lacksVisitorLimits(plan) && !dismissed.has("visitor_limits");
  return {
    gettingStarted: isSettingUp || isRequested ? steps : undefined,
    visitorLimits: isOffered ? await adviceFor(user, deps, usage) : undefined,
  };
}

async function setupSteps(
  tenant: string,
  { agents, apiKeys, catalogue, providers, demoAgent }: HomeAdviceDeps,
  { usage, plan }: { usage: UsageSummary; plan: Plan },
): Promise<SetupStep[]> {
  const [{ data: newest }, keys, models] = await Promise.all([
    agents.list(tenant, { limit: NEWEST_AGENTS }),
    apiKeys.list(tenant),
    catalogue.list(),
  ]);
  const own = newest.filter(({ id }) => id !== demoAgent?.id);
  const isUsable = ({ vendor, model }: CatalogueEntry) =>
    model !== DEMO_MODEL && providers.connection(vendor) !== undefined &&
    planAllows(plan, { provider: vendor, model });
  const isMinting = ({ scopes, lastUsedAt }: ApiKey) =>
    lastUsedAt !== undefined && scopes.includes("widget:mint");
  return [
    { name: "model", done: models.some(isUsable) },
    { name: "agent", done: own.length > 0 },
    { name: "site", done: own.some(({ allowedOrigins = [] }) => allowedOrigins.length > 0) },
    { name: "embed", done: keys.some(isMinting) },
    { name: "chat", done: usage.hasRun },
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
