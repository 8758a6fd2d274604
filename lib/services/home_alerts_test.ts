import { ProviderHealth } from "../providers/provider_health.ts";
import { assertEquals } from "@std/assert";
import type { Alert } from "../store/tenants/alert_store.ts";
import type { UsageSummary } from "../billing/usage_report.ts";
import { NO_USAGE } from "../store/runs/usage_rows.ts";
import type { StorageFigures } from "../billing/storage_report.ts";
import { emptyTotals } from "../billing/usage_totals.ts";
import { type HomeAlertDeps, readHomeAlerts } from "./home_alerts.ts";

const NOW = Date.UTC(2026, 0, 15);
const DAY_MS = 86_400_000;

function spent(cost: number): UsageSummary {
  return {
    ...{ day: "2026-01-15", resetsAt: "2026-01-16T00:00:00.000Z", range: emptyTotals() },
    ...{ today: { ...NO_USAGE, cost }, softLimit: 200, hardLimit: 500 },
    ...{ activeStreams: 0, maxStreams: 10, hasRun: true },
  };
}

function daysFromNow(days: number): string {
  return new Date(NOW + days * DAY_MS).toISOString();
}

/** What a tenant stores that has room, changed by `change`. */
function stored(change: Partial<StorageFigures> = {}): StorageFigures {
  const room = { used: 1, limit: 100 };
  return {
    ...{ agents: room, agentBytes: room, knowledgeBases: room, knowledgeBytes: room },
    ...{ conversationRuns: room, conversationBytes: room, attachmentBytes: room },
    ...{ users: room, apiKeys: room, toolSecrets: room, testSets: room, ...change },
  };
}

/** A tenant with these keys by name and expiry, and these notes. */
function tenantWith(
  keys: Record<string, { days?: number; state?: string; made?: number; used?: number }> = {},
  notes: Partial<Record<string, Alert[]>> = {},
): HomeAlertDeps {
  return {
    alerts: { list: (_tenant, kind) => Promise.resolve(notes[kind] ?? []) },
    apiKeys: {
      list: () =>
        Promise.resolve(
          Object.entries(keys).map(([name, { days, state = "active", made = 0, used }]) => ({
            ...{ name, state, createdAt: daysFromNow(-made) },
            ...used !== undefined && { lastUsedAt: daysFromNow(-used) },
            ...(days === undefined ? {} : { expiresAt: daysFromNow(days) }),
          })) as never,
        ),
    },
    agents: {
      find: (_tenant, id) =>
        Promise.resolve(id === "gone" ? undefined : { id, name: "Shop" } as never),
    },
    mcpAuthorizations: { list: () => Promise.resolve([]) },
    providers: {
      connection: (id) => id === "vendor_a" ? { name: "Acme AI" } as never : undefined,
      health: new ProviderHealth(() => NOW),
    },
  };
}

Deno.test("readHomeAlerts: reports the hard limit when reached, else the soft limit", async () => {
  const kinds = async (cost: number) =>
    (await readHomeAlerts("t", tenantWith(), { usage: spent(cost), storage: stored(), now: NOW }))
      .map((a) => a.kind);
  assertEquals(await kinds(199), []);
  assertEquals(await kinds(200), ["soft_limit"]);
  assertEquals(await kinds(500), ["hard_limit"]);
});

Deno.test("readHomeAlerts: reports active keys that expire within two weeks, soonest first", async () => {
  const keys = {
    later: { days: 13 },
    soon: { days: 1 },
    far: { days: 15 },
    never: {},
    revoked: { days: 1, state: "revoked" },
  };
  const found = await readHomeAlerts("t", tenantWith(keys), {
    usage: spent(0),
    storage: stored(),
    now: NOW,
  });
  assertEquals(found.map((one) => one.kind === "key_expires" && one.name), ["soon", "later"]);
});

Deno.test("readHomeAlerts: suggests revoking active keys that were not used for 90 days", async () => {
  const keys = {
    never: { made: 91 },
    longAgo: { made: 400, used: 100 },
    expiring: { made: 400, used: 100, days: 1 },
    used: { made: 400, used: 89 },
    fresh: { made: 89 },
    revoked: { made: 400, state: "revoked" },
  };
  const asked = { usage: spent(0), storage: stored(), now: NOW };
  const found = await readHomeAlerts("t", tenantWith(keys), asked);
  const named = found.map((one) => [one.kind, "name" in one && one.name]);
  assertEquals(named, [["key_expires", "expiring"], ["key_unused", "longAgo"], [
    "key_unused",
    "never",
  ]]);
});

Deno.test("readHomeAlerts: a rejected page names its agent unless it was deleted", async () => {
  const at = { count: 1, firstAt: NOW, lastAt: NOW };
  const notes = {
    origin_refused: [
      { name: "https://a.example", detail: "agent", ...at },
      { name: "https://b.example", detail: "gone", ...at },
    ],
  };
  const found = await readHomeAlerts("t", tenantWith({}, notes), {
    usage: spent(0),
    storage: stored(),
    now: NOW,
  });
  const agents = found.map((one) => one.kind === "origin_refused" ? one.agent?.name : undefined);
  assertEquals(agents, ["Shop", undefined]);
});

Deno.test("readHomeAlerts: reports quotas from 90% on, but not those of conversations", async () => {
  const storage = stored({
    agents: { used: 89, limit: 100 },
    agentBytes: { used: 90, limit: 100 },
    knowledgeBases: { used: 0, limit: 0 },
    conversationBytes: { used: 100, limit: 100 },
  });
  const found = await readHomeAlerts("t", tenantWith(), { usage: spent(0), storage, now: NOW });
  const names = found.map((one) => one.kind === "quota" && one.name);
  assertEquals(names, ["agentBytes", "knowledgeBases"]);
});

Deno.test("readHomeAlerts: reports conversations deleted early or not stored as one alert", async () => {
  const at = { detail: "", count: 1, firstAt: NOW, lastAt: NOW };
  const kinds = async (...names: string[]) => {
    const notes = { conversations_full: names.map((name) => ({ name, ...at })) };
    const asked = { usage: spent(0), storage: stored(), now: NOW };
    return (await readHomeAlerts("t", tenantWith({}, notes), asked)).map((one) =>
      one.kind === "conversations_full" && one.isStored
    );
  };
  assertEquals(await kinds(), []);
  assertEquals(await kinds("deleted"), [true]);
  assertEquals(await kinds("not_stored", "deleted"), [false]);
});
