import { isDemoEnabled } from "../config/config.ts";
import type { Service } from "../../http/service.ts";
import type { AgentService } from "../../services/agent_service.ts";
import { ensureDemoAgent } from "../../services/demo_agent.ts";
import type { ConnectionStore } from "../../store/providers/connection_store.ts";
import type { CoreDeps } from "./core_deps.ts";

/** Finds or creates the agent of `/demo` if enabled; `agent` is set once `opened` resolves. */
export function openDemo(
  { config, kv }: CoreDeps,
  { tenant, agents, connections, baseUrl }: {
    tenant: string;
    agents: AgentService;
    connections: ConnectionStore;
    baseUrl: string;
  },
): { agent: Service["demoAgent"]; opened: Promise<void> } {
  const find = async (): Promise<Service["demoAgent"]> => {
    const hasCredential = (await connections.list()).length > 0;
    if (!config.demoModel || !isDemoEnabled(config, { hasCredential })) return undefined;
    const id = await ensureDemoAgent({ kv, agents, tenant, baseUrl });
    return id === undefined ? undefined : { tenant, id };
  };
  const demo: ReturnType<typeof openDemo> = { agent: undefined, opened: Promise.resolve() };
  demo.opened = find().then((agent) => void (demo.agent = agent));
  return demo;
}
