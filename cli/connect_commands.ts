import { UserService } from "../lib/accounts/user_admin.ts";
import type { Config } from "../lib/config.ts";
import { Signer } from "../lib/credentials/hashing.ts";
import { Sealer } from "../lib/credentials/sealing.ts";
import { adminCommands } from "../lib/process/admin_commands.ts";
import { CommandError, type Commands } from "../lib/process/commands.ts";
import { callControlSocket } from "../lib/process/control_socket.ts";
import { localUrl } from "../lib/process/local_url.ts";
import { openStore, type OpenStoreOptions, type Store } from "../lib/process/open_store.ts";
import { StoreInUseError } from "../lib/process/process_lock.ts";
import { AgentStore } from "../lib/storage/agent_store.ts";
import { ApiKeyStore } from "../lib/storage/api_key_store.ts";
import { HmacSecrets } from "../lib/storage/hmac_secrets.ts";
import { Reencryption } from "../lib/storage/reencryption.ts";
import { SECRETS_PURPOSE, SecretStore } from "../lib/storage/secret_store.ts";
import { TenantStore } from "../lib/storage/tenant_store.ts";

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
  const { system } = options;
  const signer = new Signer(store.hmacSecrets);
  const { randomBytes } = system;
  const sealer = new Sealer(store.encryptionKeys, { purpose: SECRETS_PURPOSE, randomBytes });
  const agents = new AgentStore(store.kv, system);
  const commands = adminCommands({
    hmacSecrets: new HmacSecrets(store.kv, store.hmacSecrets),
    agents: { find: (tenant, id) => agents.get(tenant, id) },
    apiKeys: new ApiKeyStore(store.kv, { system, signer }),
    secrets: new SecretStore(store.kv, { system, sealer }),
    tenants: new TenantStore(store.kv, system),
    users: new UserService(store.kv, system),
    baseUrl: config.publicUrl ?? localUrl(config, config.port),
    reencryption: new Reencryption(store.kv, { encryptionKeys: store.encryptionKeys, system }),
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
