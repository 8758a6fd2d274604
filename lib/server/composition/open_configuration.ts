import type { ModelAccess } from "../../billing/model_access.ts";
import {
  type ConfigurableServices,
  Configuration,
} from "../../services/configuration/configuration.ts";
import type { AgentService } from "../../services/agent_service.ts";
import type { CursorSigner } from "../../services/cursor_signer.ts";
import type { KnowledgeService } from "../../services/knowledge_service.ts";
import { AgentStore } from "../../store/agents/agent_store.ts";
import { ConfigurationLockStore } from "../../store/configuration/configuration_lock_store.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import type { CoreDeps } from "./core_deps.ts";

/** The configuration by key, whose locked changes have services on a fenced store. */
export function openConfiguration(
  { kv, runtime }: Pick<CoreDeps, "kv" | "runtime">,
  { cursors, access, secrets, services, ...open }: {
    cursors: CursorSigner;
    access: ModelAccess;
    secrets: SecretStore;
    services: ConfigurableServices;
    openAgentService: (store: AgentStore) => AgentService;
    openKnowledgeService: (kv: Deno.Kv) => KnowledgeService;
    openTestServices: (kv: Deno.Kv) => Pick<ConfigurableServices, "testSets" | "testCases">;
  },
): Configuration {
  return new Configuration({
    ...{ kv, cursors, access, secrets, services },
    locks: new ConfigurationLockStore(kv, runtime),
    open: (kv) => ({
      agents: open.openAgentService(new AgentStore(kv, runtime)),
      knowledge: open.openKnowledgeService(kv),
      ...open.openTestServices(kv),
    }),
  });
}
