import type { Reencryption } from "../../store/reencryption/reencryption.ts";
import type { SecretStore } from "../../store/credentials/secret_store.ts";
import {
  CommandError,
  type CommandFamily,
  parseCommandInput,
  type ResolveTenant,
} from "./commands.ts";

/** Looks an agent up; `undefined` when there is none. */
export interface AgentLookup {
  find(tenant: string, id: string): Promise<unknown>;
}

/** The commands for tools' secrets on an open store; none of them answers a value. */
export function secretCommands(
  { agents, secrets, reencryption, tenantId }: {
    agents: AgentLookup;
    secrets: Pick<SecretStore, "set" | "list" | "delete" | "agentOf">;
    reencryption: Pick<Reencryption, "run">;
    tenantId: ResolveTenant;
  },
): CommandFamily<"secrets"> {
  return {
    "secrets.set": async (input) => {
      const { tenant, agentId: asked, ...secret } = parseCommandInput("secrets.set", input);
      const owner = await tenantId(tenant);
      const bound = await secrets.agentOf(owner, secret.name);
      if (asked === undefined && bound !== undefined) {
        // A new value alone must not open the secret to every agent.
        throw new CommandError(
          `${secret.name} is for agent ${bound} alone: add --agent ${bound}, or --agent any`,
        );
      }
      const agentId = asked === "any" ? undefined : asked;
      if (agentId !== undefined && await agents.find(owner, agentId) === undefined) {
        throw new CommandError(`agent ${agentId} not found`);
      }
      return { secret: await secrets.set(owner, { ...secret, agentId }) };
    },
    "secrets.list": async (input) => {
      const { tenant } = parseCommandInput("secrets.list", input);
      return { secrets: await secrets.list(await tenantId(tenant)) };
    },
    "secrets.delete": async (input) => {
      const { name, tenant } = parseCommandInput("secrets.delete", input);
      const secret = await secrets.delete(await tenantId(tenant), name);
      if (secret === undefined) throw new CommandError(`there is no secret ${name}`);
      return { secret };
    },
    "secrets.reencrypt": async (input) => {
      const { forget = false } = parseCommandInput("secrets.reencrypt", input);
      return await reencryption.run({ forget });
    },
  };
}
