import type { Reencryption } from "../storage/reencryption.ts";
import type { SecretStore } from "../storage/secret_store.ts";
import { CommandError, type CommandsOf, parseCommandInput } from "./commands.ts";
import type { TenantFinder } from "./tenant_finder.ts";

/** The commands for tools' secrets on an open store; none of them answers a value. */
export function secretCommands(
  { secrets, reencryption, compact, tenantId }: {
    secrets: Pick<SecretStore, "set" | "list" | "delete">;
    reencryption: Pick<Reencryption, "run">;
    compact?: (() => Promise<void>) | undefined;
    tenantId: TenantFinder;
  },
): CommandsOf<"secrets"> {
  return {
    "secrets.set": async (input) => {
      const { tenant, ...secret } = parseCommandInput("secrets.set", input);
      return { secret: await secrets.set(await tenantId(tenant), secret) };
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
      const report = await reencryption.run({ forget });
      await compact?.();
      return { ...report, compacted: compact !== undefined };
    },
  };
}
