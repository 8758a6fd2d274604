import { AgentService } from "@/lib/services/agent_service.ts";
import { CursorSigner } from "@/lib/services/cursor_signer.ts";
import { KnowledgeService } from "@/lib/services/knowledge_service.ts";
import { ModelAccess } from "@/lib/billing/model_access.ts";
import { Signer } from "@/lib/platform/crypto/signer.ts";
import { KnowledgeSearch } from "@/lib/knowledge/search/knowledge_search.ts";
import { KvPassageSource } from "@/lib/knowledge/search/passage_source.ts";
import { AgentStore } from "@/lib/store/agents/agent_store.ts";
import { CatalogueStore } from "@/lib/store/providers/catalogue_store.ts";
import { DocumentStore } from "@/lib/store/knowledge/document_store.ts";
import { KnowledgeBaseStore } from "@/lib/store/knowledge/knowledge_base_store.ts";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import { FakeRuntime } from "./fake_runtime.ts";

/** The agent services on their own store, with a fake runtime. */
export function openAgentServices(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  const catalogue = new CatalogueStore(kv, { demoModel: true });
  const tenants = new TenantStore(kv, runtime);
  const models = new ModelAccess({ catalogue, tenants });
  const cursors = new CursorSigner(new Signer(["secret"]));
  const bases = new KnowledgeBaseStore(kv, runtime);
  const documents = new DocumentStore(kv, runtime);
  const processor = { wake: () => {} };
  const passages = new KvPassageSource(kv);
  const search = new KnowledgeSearch(passages);
  const knowledge = new KnowledgeService({
    ...{ bases, documents, processor, search, passages, cursors },
  });
  const secrets = { agentOf: () => Promise.resolve(undefined) };
  const agents = new AgentService(new AgentStore(kv, runtime), {
    ...{ models, knowledge, secrets, cursors, tenants },
  });
  return { runtime, catalogue, models, agents, knowledge };
}
