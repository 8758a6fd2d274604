import { UserService } from "../lib/services/user_service.ts";
import { type Config, localUrl } from "../lib/server/config/config.ts";
import { Signer } from "../lib/platform/crypto/hashing.ts";
import { Sealer } from "../lib/platform/crypto/sealing.ts";
import { adminCommands } from "../lib/server/commands/admin_commands.ts";
import { CommandError, type Commands } from "../lib/server/commands/commands.ts";
import { callControlSocket } from "../lib/server/commands/control_socket.ts";
import { openStore, type OpenStoreOptions, type Store } from "../lib/server/process/open_store.ts";
import { StoreInUseError } from "../lib/server/process/process_lock.ts";
import { AgentStore } from "../lib/store/agents/agent_store.ts";
import { ApiKeyStore } from "../lib/store/credentials/api_key_store.ts";
import { HmacSecrets } from "../lib/store/credentials/hmac_secrets.ts";
import { Reencryption } from "../lib/store/reencryption/reencryption.ts";
import { SECRETS_PURPOSE, SecretStore } from "../lib/store/credentials/secret_store.ts";
import { TenantStore } from "../lib/store/tenants/tenant_store.ts";

/** Commands that run, and what must be let go of after them. */
export interface Connection extends Disposable {
  commands: Commands;
}

/** The commands on the store itself, or through the process that holds it. */
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
  const commands = adminCommands({
    hmacSecrets: new HmacSecrets(store.kv, store.hmacSecrets),
    agents: { find: (tenant, id) => agents.get(tenant, id) },
    apiKeys: new ApiKeyStore(store.kv, { runtime, signer }),
    secrets: new SecretStore(store.kv, { runtime, sealer }),
    tenants: new TenantStore(store.kv, runtime),
    users: new UserService(store.kv, runtime),
    baseUrl: config.publicUrl ?? localUrl(config, config.port),
    reencryption: new Reencryption(store.kv, { encryptionKeys: store.encryptionKeys, runtime }),
  });
  return { commands, [Symbol.dispose]: () => void store.close() };
}

/** Who holds the store alone takes commands in a folder of its own, and nothing tells which. */
function storeInUseElsewhere({ target, pid }: StoreInUseError): CommandError {
  const holder = pid === undefined ? "a process" : `a process (pid ${pid})`;
  return new CommandError(
    `the store ${target.path} is open in ${holder} that has another DATA_DIR: name that folder`,
  );
}

function remoteCommands(path: string): Commands {
  return {
    "keys.create": (input) => callControlSocket(path, "keys.create", input),
    "keys.list": (input) => callControlSocket(path, "keys.list", input),
    "keys.forget_secrets": (input) => callControlSocket(path, "keys.forget_secrets", input),
    "keys.revoke": (input) => callControlSocket(path, "keys.revoke", input),
    "secrets.set": (input) => callControlSocket(path, "secrets.set", input),
    "secrets.list": (input) => callControlSocket(path, "secrets.list", input),
    "secrets.delete": (input) => callControlSocket(path, "secrets.delete", input),
    "users.list": (input) => callControlSocket(path, "users.list", input),
    "users.reset": (input) => callControlSocket(path, "users.reset", input),
    "secrets.reencrypt": (input) => callControlSocket(path, "secrets.reencrypt", input),
  };
}
