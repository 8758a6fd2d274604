import { AuditVerifier } from "../lib/services/audit/audit_verifier.ts";
import { Operators } from "../lib/services/tenants/operators.ts";
import { UserService } from "../lib/services/user_service.ts";
import { type Config, localUrl } from "../lib/server/config/config.ts";
import { Signer } from "../lib/platform/crypto/signer.ts";
import { Sealer } from "../lib/platform/crypto/sealing.ts";
import { adminCommands } from "../lib/server/commands/admin_commands.ts";
import {
  COMMAND_NAMES,
  CommandError,
  type CommandInput,
  type CommandName,
  type Commands,
} from "../lib/server/commands/commands.ts";
import { callControlSocket } from "../lib/server/commands/control_socket.ts";
import { openStore, type OpenStoreOptions, type Store } from "../lib/server/process/open_store.ts";
import { StoreInUseError } from "../lib/server/process/process_lock.ts";
import { AgentStore } from "../lib/store/agents/agent_store.ts";
import { ApiKeyStore } from "../lib/store/credentials/api_key_store.ts";
import { HmacSecrets } from "../lib/store/credentials/hmac_secrets.ts";
import { Reencryption } from "../lib/store/reencryption/reencryption.ts";
import { SECRETS_PURPOSE, SecretStore } from "../lib/store/credentials/secret_store.ts";
import { TenantStore } from "../lib/store/tenants/tenant_store.ts";

/** Commands, and the store to close after them. */
export interface Connection extends Disposable {
  commands: Commands;
}

/** Opens the store, or connects to the process that holds it. */
export async function connectCommands(
  config: Config,
  options: OpenStoreOptions,
): Promise<Connection> {
  let store: Store;
  try {
    store = await openStore(config, options);
  } catch (error) {
    if (!(error instanceof StoreInUseError)) throw error;
    if (error.target.what === "store") throw storeInUseElsewhere(error);
    return { commands: remoteCommands(`${config.dataDir}/control.sock`), [Symbol.dispose]() {} };
  }
  const { runtime } = options;
  const signer = new Signer(store.hmacSecrets);
  const { randomBytes } = runtime;
  const sealer = new Sealer(store.encryptionKeys, { purpose: SECRETS_PURPOSE, randomBytes });
  const agents = new AgentStore(store.kv, runtime);
  const tenants = new TenantStore(store.kv, runtime);
  const commands = adminCommands({
    hmacSecrets: new HmacSecrets(store.kv, store.hmacSecrets),
    agents: { find: (tenant, id) => agents.get(tenant, id) },
    apiKeys: new ApiKeyStore(store.kv, { runtime, signer }),
    secrets: new SecretStore(store.kv, { runtime, sealer }),
    tenants,
    auditVerifier: new AuditVerifier(store.kv, { runtime, tenants }),
    operators: new Operators(store.kv, { runtime, tenants }),
    users: new UserService(store.kv, runtime),
    baseUrl: config.publicUrl ?? localUrl(config, config.port),
    reencryption: new Reencryption(store.kv, { encryptionKeys: store.encryptionKeys, runtime }),
  });
  return { commands, [Symbol.dispose]: () => void store.close() };
}

/** A process that holds only the store has its control socket in an unknown data folder. */
function storeInUseElsewhere({ target, pid }: StoreInUseError): CommandError {
  const holder = pid === undefined ? "a process" : `a process (pid ${pid})`;
  return new CommandError(
    `the store ${target.path} is open in ${holder} that has another DATA_DIR: name that folder`,
  );
}

function remoteCommands(path: string): Commands {
  const command = <C extends CommandName>(name: C) => (input: CommandInput<C>) =>
    callControlSocket(path, name, input);
  return Object.fromEntries(COMMAND_NAMES.map((name) => [name, command(name)])) as Commands;
}
