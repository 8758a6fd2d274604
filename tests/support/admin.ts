import { AgentAdmin } from "@/lib/admin/agent_admin.ts";
import { CursorSeal } from "@/lib/admin/cursor_seal.ts";
import { ModelAccess } from "@/lib/admin/model_access.ts";
import { Signer } from "@/lib/credentials/hashing.ts";
import { AgentStore } from "@/lib/storage/agent_store.ts";
import { CatalogueStore } from "@/lib/storage/catalogue_store.ts";
import { TenantStore } from "@/lib/storage/tenant_store.ts";
import { FakeSystem } from "./fake_system.ts";

/** What handles agents, on a store of its own and in a still world. */
export function openAdmin(kv: Deno.Kv) {
  const system = new FakeSystem();
  const catalogue = new CatalogueStore(kv, { demoModel: true });
  const models = new ModelAccess({ catalogue, tenants: new TenantStore(kv, system) });
  const cursors = new CursorSeal(new Signer(["secret"]));
  const agents = new AgentAdmin(new AgentStore(kv, system), { models, cursors });
  return { system, catalogue, models, agents };
}
