import { AuditVerifier } from "@/lib/services/audit/audit_verifier.ts";
import { Operators } from "@/lib/services/tenants/operators.ts";
import { UserService } from "@/lib/services/user_service.ts";
import { readConfig } from "@/lib/server/config/config.ts";
import { Signer } from "@/lib/platform/crypto/signer.ts";
import { Sealer } from "@/lib/platform/crypto/sealing.ts";
import { createLogger } from "@/lib/platform/log.ts";
import { adminCommands, type CommandDeps } from "@/lib/server/commands/admin_commands.ts";
import { serveControlSocket } from "@/lib/server/commands/control_socket.ts";
import { openStore } from "@/lib/server/process/open_store.ts";
import { AgentStore } from "@/lib/store/agents/agent_store.ts";
import { ApiKeyStore } from "@/lib/store/credentials/api_key_store.ts";
import { HmacSecrets } from "@/lib/store/credentials/hmac_secrets.ts";
import { Reencryption } from "@/lib/store/reencryption/reencryption.ts";
import { SECRETS_PURPOSE, SecretStore } from "@/lib/store/credentials/secret_store.ts";
import { TenantStore } from "@/lib/store/tenants/tenant_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { taskCommand } from "./task_command.ts";

/** The result of a command. */
export interface CommandResult {
  code: number;
  out: string;
  err: string;
}

export type Run = (...words: string[]) => Promise<CommandResult>;

/** Runs `deno task keys`, `secrets` or another as its own process on the data folder `dir`, with `input` piped in. */
export async function runCli(
  task:
    | "agents"
    | "audit"
    | "backup"
    | "compact"
    | "copy-store"
    | "doctor"
    | "evals"
    | "keys"
    | "metrics"
    | "restore"
    | "secrets"
    | "users"
    | "verify"
    | "verify-backup",
  words: string[],
  { dir, input = "", env = {} }: { dir: string; input?: string; env?: Record<string, string> },
): Promise<CommandResult> {
  const { command, args } = taskCommand(task, { words });
  await using process = new Deno.Command(command, {
    args,
    cwd: new URL("../../", import.meta.url).pathname,
    env: { DATA_DIR: dir, NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = process.stdin.getWriter();
  // A process that does not read its input may have ended.
  writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await process.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out: out!, err: err! };
}

/** The stores that commands work on. */
export function commandStores(
  kv: Deno.Kv,
  secrets: { hmacSecrets: readonly string[]; encryptionKeys: readonly string[] },
): CommandDeps & {
  apiKeys: ApiKeyStore;
  secrets: SecretStore;
  tenants: TenantStore;
} {
  const runtime = systemRuntime;
  const { randomBytes } = runtime;
  const sealer = new Sealer(secrets.encryptionKeys, { purpose: SECRETS_PURPOSE, randomBytes });
  const tenants = new TenantStore(kv, runtime);
  return {
    hmacSecrets: new HmacSecrets(kv, secrets.hmacSecrets),
    agents: { find: (tenant, id) => new AgentStore(kv, runtime).get(tenant, id) },
    apiKeys: new ApiKeyStore(kv, { runtime, signer: new Signer(secrets.hmacSecrets) }),
    secrets: new SecretStore(kv, { runtime, sealer }),
    tenants,
    auditVerifier: new AuditVerifier(kv, { runtime, tenants }),
    operators: new Operators(kv, { runtime, tenants }),
    users: new UserService(kv, runtime),
    baseUrl: "http://127.0.0.1:8000",
    reencryption: new Reencryption(kv, { encryptionKeys: secrets.encryptionKeys, runtime }),
  };
}

/** Simulates a running service, as far as the command line can detect it. */
export async function serveIn(
  dir: string,
): Promise<ReturnType<typeof commandStores> & { close(): Promise<void> }> {
  const store = await openStore(readConfig({ DATA_DIR: dir }), {
    openKv: Deno.openKv,
    runtime: systemRuntime,
  });
  const stores = commandStores(store.kv, store);
  const control = serveControlSocket({
    path: `${dir}/control.sock`,
    handlers: adminCommands(stores),
    log: createLogger(),
    runtime: systemRuntime,
  });
  const close = async () => {
    await control.close();
    await store.close();
  };
  return { ...stores, close };
}

/** Runs a test with a temporary folder. */
export async function inTempDir(test: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  await test(dir).finally(() => Deno.remove(dir, { recursive: true }));
}
