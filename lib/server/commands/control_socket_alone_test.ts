import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { commandStores } from "@/tests/support/command_line.ts";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../../platform/log.ts";
import type { ApiKeyStore } from "../../store/credentials/api_key_store.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { adminCommands } from "./admin_commands.ts";
import { CommandError, type Commands } from "./commands.ts";
import { callControlSocket, type ControlSocket, serveControlSocket } from "./control_socket.ts";
import { StartupError } from "../process/startup_error.ts";

const log = createLogger();

async function withSocket(
  run: (at: { path: string; apiKeys: ApiKeyStore }) => Promise<void>,
  change: (commands: Commands) => Commands = (commands) => commands,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  using kv = await Deno.openKv(":memory:");
  const encryptionKeys = [new Uint8Array(32).toBase64()];
  const stores = commandStores(kv, { hmacSecrets: ["s".repeat(32)], encryptionKeys });
  const { apiKeys } = stores;
  const commands = adminCommands(stores);
  const path = `${dir}/control.sock`;
  // A killed process leaves its socket behind.
  await Deno.writeTextFile(path, "");
  const control = serveControlSocket({
    path,
    handlers: change(commands),
    log,
    runtime: systemRuntime,
  });
  await run({ path, apiKeys }).finally(() => control.close());
  await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound);
  await Deno.remove(dir, { recursive: true });
}

Deno.test("control socket: creates, lists and revokes a key", () =>
  withSocket(async ({ path, apiKeys }) => {
    const input = { name: "ci", scopes: ["agents:write" as const] };
    const { apiKey, secret } = await callControlSocket(path, "keys.create", input);
    assertEquals((await apiKeys.verify(secret))?.id, apiKey.id);
    assertEquals((await callControlSocket(path, "keys.list", {})).apiKeys, [
      (await apiKeys.list((await apiKeys.verify(secret))!.tenant))[0]!,
    ]);
    const prefix = apiKey.secrets[0]!.prefix;
    const revoked = await callControlSocket(path, "keys.revoke", { prefix });
    assertEquals(revoked.apiKey.state, "revoked");
    assertEquals(await apiKeys.verify(secret), undefined);
  }));

Deno.test("control socket: only its owner can open it", () =>
  withSocket(async ({ path }) => {
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  }));

Deno.test("control socket: a failed command is a CommandError with its reason", () =>
  withSocket(async ({ path }) => {
    const call = (prefix: string) => callControlSocket(path, "keys.revoke", { prefix });
    await assertRejects(() => call("AAAAAAAA"), CommandError, "no key with prefix AAAAAAAA");
    await assertRejects(() => call("not one"), CommandError, "prefix");
    const tenant = crypto.randomUUID();
    await assertRejects(
      () => callControlSocket(path, "keys.list", { tenant }),
      CommandError,
      tenant,
    );
    const unknown = "toString" as "keys.list";
    await assertRejects(
      () => callControlSocket(path, unknown, {}),
      CommandError,
      "unknown command",
    );
  }));

Deno.test("control socket: reports an error inside the service", () =>
  withSocket(
    async ({ path }) => {
      const list = () => callControlSocket(path, "keys.list", {});
      await assertRejects(list, CommandError, "the service could not do it: disk full");
    },
    (commands) => ({ ...commands, "keys.list": () => Promise.reject(new Error("disk full")) }),
  ));

Deno.test("callControlSocket: suggests a retry if nothing responds", async () => {
  const call = () => callControlSocket("/nonexistent/control.sock", "keys.list", {});
  await assertRejects(call, CommandError, "try again");
});

Deno.test("serveControlSocket: rejects a path that is too long for a socket", () => {
  const path = `/tmp/${"d".repeat(120)}/control.sock`;
  const options = { path, handlers: {} as Commands, log, runtime: systemRuntime };
  const error = assertThrows(() => serveControlSocket(options), StartupError);
  assert(error.message.includes("DATA_DIR"));
});

/** A socket that receives an incomplete command. */
async function withIncompleteCommand(
  run: (
    at: { control: ControlSocket; connection: Deno.Conn; runtime: FakeRuntime },
  ) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/control.sock`;
  const runtime = new FakeRuntime();
  const begun = Promise.withResolvers<void>();
  const sleep = (ms: number, signal?: AbortSignal) => {
    begun.resolve();
    return runtime.sleep(ms, signal);
  };
  const handlers = {} as Commands;
  const control = serveControlSocket({ path, handlers, log, runtime: { now: runtime.now, sleep } });
  const connection = await Deno.connect({ transport: "unix", path });
  const head = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n";
  await connection.write(new TextEncoder().encode(`${head}{"c`));
  await begun.promise;
  await run({ control, connection, runtime });
  connection.close();
  await control.close();
  assertEquals(runtime.sleeping, 0);
  await Deno.remove(dir, { recursive: true });
}

Deno.test("control socket: rejects a command that is incomplete after 2 s", () =>
  withIncompleteCommand(async ({ connection, runtime }) => {
    await runtime.advance(2_000);
    const buffer = new Uint8Array(1_024);
    let text = "";
    while (!text.endsWith("}")) {
      text += new TextDecoder().decode(buffer.subarray(0, (await connection.read(buffer))!));
    }
    assert(text.endsWith('{"refused":"the command did not arrive whole"}'), text);
  }));

Deno.test("control socket: closing waits at most 2 s for a hanging command", () =>
  withIncompleteCommand(async ({ control, runtime }) => {
    let closed = false;
    const closing = control.close().then(() => closed = true);
    await runtime.advance(1_999);
    assertEquals(closed, false);
    await runtime.advance(1);
    await closing;
  }));
