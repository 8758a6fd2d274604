import { AgentService } from "@/lib/admin/agent_admin.ts";
import { CursorSigner } from "@/lib/admin/cursor_seal.ts";
import { KnowledgeService } from "@/lib/admin/knowledge_admin.ts";
import { ModelAccess } from "@/lib/admin/model_access.ts";
import { Signer } from "@/lib/credentials/hashing.ts";
import { KnowledgeSearch } from "@/lib/knowledge/search/knowledge_search.ts";
import { StoredChunks } from "@/lib/knowledge/search/stored_chunks.ts";
import { AgentStore } from "@/lib/storage/agent_store.ts";
import { CatalogueStore } from "@/lib/storage/catalogue_store.ts";
import { DocumentStore } from "@/lib/storage/document_store.ts";
import { KnowledgeBaseStore } from "@/lib/storage/knowledge_base_store.ts";
import { TenantStore } from "@/lib/storage/tenant_store.ts";
import { FakeRuntime } from "./fake_system.ts";

/** What handles agents, on a store of its own and in a still world. */
export function openAgentServices(kv: Deno.Kv) {
  const system = new FakeRuntime();
  const catalogue = new CatalogueStore(kv, { demoModel: true });
  const models = new ModelAccess({ catalogue, tenants: new TenantStore(kv, system) });
  const cursors = new CursorSigner(new Signer(["secret"]));
  const bases = new KnowledgeBaseStore(kv, system);
  const documents = new DocumentStore(kv, system);
  const processor = { begin: () => {} };
  const search = new KnowledgeSearch(new StoredChunks(kv));
  const knowledge = new KnowledgeService({ bases, documents, processor, search, cursors });
  const secrets = { agentOf: () => Promise.resolve(undefined) };
  const agents = new AgentService(new AgentStore(kv, system), {
    ...{ models, knowledge, secrets, cursors },
  });
  return { system, catalogue, models, agents, knowledge };
}
