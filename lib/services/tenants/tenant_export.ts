import type { UsageReports } from "../../billing/usage_report.ts";
import { isoTime, type Runtime } from "../../platform/runtime.ts";
import { dayOf } from "../../platform/utc_day.ts";
import { addDays } from "../../schemas/day_range.ts";
import type { AttachmentStore } from "../../store/attachments/attachment_store.ts";
import { INSTALLATION, recordChange } from "../../store/audit/audit_record.ts";
import type { AuditStore } from "../../store/audit/audit_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { ApiKeyStore } from "../../store/credentials/api_key_store.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import type { ConversationName } from "../../store/keys/keys.ts";
import type { TenantRecords } from "../../store/tenants/tenant_records.ts";
import type { TenantStore } from "../../store/tenants/tenant_store.ts";
import type { MemoryStore } from "../../store/visitors/memory_store.ts";
import {
  conversationLines,
  type ConversationLinesDeps,
  exportLine,
  handoffLines,
} from "../conversation_lines.ts";
import type { McpAuthorizations } from "../mcp/mcp_authorizations.ts";
import type { TeamService } from "../team_service.ts";
import { toFact } from "../visitor_memories.ts";
import { allPages, fileLines } from "./export_pages.ts";
import { exportResources, type ResourceDeps } from "./export_resources.ts";

/** Usage goes back this long. */
const USAGE_DAYS = 366;

export interface TenantExportDeps extends ConversationLinesDeps, ResourceDeps {
  kv: Deno.Kv;
  runtime: Runtime;
  tenants: Pick<TenantStore, "get" | "plan">;
  team: Pick<TeamService, "members" | "invitations">;
  apiKeys: Pick<ApiKeyStore, "list">;
  secrets: Pick<SecretStore, "list">;
  mcp: Pick<McpAuthorizations, "list">;
  store: Pick<ConversationStore, "oldestFirst">;
  records: TenantRecords;
  attachments: Pick<AttachmentStore, "find" | "describe" | "readFile">;
  memories: Pick<MemoryStore, "list">;
  usage: Pick<UsageReports, "read">;
  audit: Pick<AuditStore, "list">;
}

/**
 * Everything that the service has of a tenant, as lines of JSON. No secret is in it: of passwords, API keys
 * and secrets only that they exist. Of what was exported only ids are kept in memory.
 */
export class TenantExport {
  readonly #deps: TenantExportDeps;

  constructor(deps: TenantExportDeps) {
    this.#deps = deps;
  }

  /** Records an export, before anything is sent: in the tenant's log, and in the installation's. */
  async record(tenant: string, { name }: { name: string }): Promise<void> {
    const { kv, runtime } = this.#deps;
    const step = kv.atomic();
    for (const log of [INSTALLATION, tenant]) {
      recordChange(step, runtime, {
        ...{ tenant: log, kind: "tenant", action: "export", target: { id: tenant, name } },
      });
    }
    await step.commit();
  }

  /** The last line is of the type `end`: without it the export is not complete. */
  async *lines(tenant: string): AsyncGenerator<string> {
    let lines = 0;
    for await (const line of this.#all(tenant)) {
      lines++;
      yield line;
    }
    yield exportLine({ type: "end", ...{ lines } });
  }

  async *#all(tenant: string): AsyncGenerator<string> {
    yield* this.#account(tenant);
    yield* exportResources(this.#deps, tenant);
    yield* this.#conversations(tenant);
    for await (const id of this.#deps.records.attachments(tenant)) {
      yield* this.#attachment(tenant, id);
    }
    yield* this.#memories(tenant);
    const to = dayOf(this.#deps.runtime.now());
    const range = { from: addDays(to, 1 - USAGE_DAYS), to };
    yield exportLine({ type: "usage", ...range, ...await this.#deps.usage.read(tenant, range) });
    const entries = allPages((page) => this.#deps.audit.list(tenant, page));
    for await (const { v: _v, at, ...entry } of entries) {
      yield exportLine({ type: "audit_entry", ...{ at: isoTime(at) }, ...entry });
    }
  }

  /** Who and what may use the tenant. */
  async *#account(tenant: string): AsyncGenerator<string> {
    const { tenants, team, apiKeys, secrets, mcp, runtime } = this.#deps;
    const [found, { v: _v, ...plan }] = await Promise.all([
      tenants.get(tenant),
      tenants.plan(tenant),
    ]);
    yield exportLine({
      ...{ type: "tenant", format: 1, exportedAt: isoTime(runtime.now()), id: tenant },
      ...{ name: found?.name, createdAt: found && isoTime(found.createdAt), plan },
    });
    for (const { tenant: _tenant, createdAt, ...user } of await team.members(tenant)) {
      yield exportLine({ type: "user", ...user, ...{ createdAt: isoTime(createdAt) } });
    }
    for (const { id, email, role, createdAt, exp } of await team.invitations(tenant)) {
      const times = { createdAt: isoTime(createdAt), expiresAt: isoTime(exp) };
      yield exportLine({ type: "invitation", ...{ id, email, role, ...times } });
    }
    for (const apiKey of await apiKeys.list(tenant)) {
      yield exportLine({ type: "api_key", ...apiKey });
    }
    for (const secret of await secrets.list(tenant)) {
      yield exportLine({ type: "secret", ...secret });
    }
    for (const { url, state, scope } of await mcp.list(tenant)) {
      yield exportLine({ type: "mcp_server", ...{ url, state, scope } });
    }
  }

  /** A conversation that is continued meanwhile is in it once. */
  async *#conversations(tenant: string): AsyncGenerator<string> {
    const { store, records } = this.#deps;
    const seen = new Set<string>();
    const isNew = ({ id, agentId, page }: ConversationName) => {
      const { size } = seen;
      return seen.add(`${id} ${agentId} ${page}`).size > size;
    };
    for await (const name of store.oldestFirst(tenant)) {
      if (isNew(name)) yield* conversationLines(this.#deps, name);
    }
    for await (const name of records.handoffs(tenant)) {
      if (isNew(name)) yield* handoffLines(this.#deps, name);
    }
  }

  async *#attachment(tenant: string, id: string): AsyncGenerator<string> {
    const { attachments } = this.#deps;
    const record = await attachments.find(tenant, id);
    if (record === undefined) return;
    const { agentId, createdAt } = record;
    const described = await attachments.describe(tenant, record);
    const facts = { agentId, createdAt: isoTime(createdAt) };
    yield exportLine({ type: "attachment", ...facts, ...described });
    yield* fileLines(attachments.readFile(tenant, record), { of: "attachment", id });
  }

  async *#memories(tenant: string): AsyncGenerator<string> {
    const { memories, records } = this.#deps;
    for await (const name of records.memories(tenant)) {
      const facts = await memories.list(name);
      if (facts?.length === 0) continue;
      const found = facts === undefined ? { unreadable: true } : { facts: facts.map(toFact) };
      const { agentId, visitor: visitorHash } = name;
      yield exportLine({ type: "memory", ...{ agentId, visitorHash }, ...found });
    }
  }
}
