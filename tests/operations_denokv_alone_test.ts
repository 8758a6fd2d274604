/** Runs the commands of docs/operations.md, "Running denokv", on the server named by `DENOKV_BIN`. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Ledger } from "@/lib/billing/ledger.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { readStoredUsage } from "./support/stored_usage.ts";
import { valuesOf } from "./support/admissions.ts";
import { catalogueEntry } from "./support/chat.ts";
import {
  type DocumentedEnv,
  documentedEnv,
  openDocumentedKv,
  readEnvFile,
  startDocumentedDenokv,
} from "./support/documented_denokv.ts";
import { TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { readFrames } from "./support/frames.ts";
import { startHaproxy } from "./support/haproxy.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { Script } from "./support/mock_providers/script.ts";
import { openTestKv } from "./support/open_kv.ts";
import { configNamed, runBlock } from "./support/operations_doc.ts";
import { TEST_HMAC_SECRET, TestService } from "./support/service.ts";
import { startService } from "./support/started_service.ts";
import { sweepOrphaned } from "./support/sweep_orphaned.ts";
import { say } from "./support/widget_calls.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const TLS = new URL("./fixtures/tls/", import.meta.url).pathname;
const HELD_RUNS = 3;
const LOADERS = 4;

const bin = Deno.env.get("DENOKV_BIN");
const missing: string[] = [];
for (const name of ["sqlite3", "openssl", "curl"]) {
  const found = await Deno.stat(`/usr/bin/${name}`).then(() => true, () => false);
  if (!found) missing.push(name);
}
const ignore = bin === undefined || missing.length > 0;
if (ignore) {
  const reason = bin === undefined ? "DENOKV_BIN is not set" : `${missing} not installed`;
  console.log(`${reason}: the commands of docs/operations.md that start denokv are not tested`);
}

/** A provider whose answer to "hold" waits until `release`. */
async function startProvider() {
  const gate = Promise.withResolvers<void>();
  const otherwise = ({ body }: { body: { messages: { content: string }[] } }): Script =>
    JSON.stringify(body.messages.at(-1)).includes("hold")
      ? { say: [{ text: "Slowly" }, { wait: gate.promise }, { text: " said" }] }
      : { say: [{ text: "At once" }] };
  const mock = await MockProviders.start({ otherwise });
  return {
    env: { VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "sk-test" },
    release: gate.resolve,
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  };
}

type Setup = { env: DocumentedEnv; providerEnv: Record<string, string> };

/** Services on one store, each with its own handle. */
async function startServices(
  { providerEnv }: Setup,
  { open, processes }: { open: () => Promise<Deno.Kv>; processes: number },
) {
  await using stack = new AsyncDisposableStack();
  const services: TestService[] = [];
  for (let n = 0; n < processes; n++) {
    const kv = stack.use(await open());
    services.push(stack.use(await TestService.start({ kv, keepKv: true, env: providerEnv })));
  }
  const owned = stack.move();
  return { services, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface Chat {
  key: string;
  agentId: string;
  content?: string;
}

/** Sends one message by API key; returns the conversation's id and how the run ended. */
async function sendMessage(service: TestService, { key, agentId, content = "Hello" }: Chat) {
  const json = { agentId, messages: [say(content)] };
  const response = await service.fetch("/v1/chat/stream", { method: "POST", key, json });
  if (response.status !== 200) return { end: await response.text(), id: "" };
  const frames = (await readFrames(response)).map(({ frame }) => frame);
  const start = frames[0]!;
  const last = frames.at(-1)!;
  assert(start.type === "start" && last.type === "done");
  return { end: last.finishReason, id: start.conversationId };
}

/** Status and body of the agent and the conversation, from the API. */
async function readAll(service: TestService, { key, agentId, id }: Chat & { id: string }) {
  const paths = [`/v1/agents/${agentId}`, `/v1/conversations/${id}`];
  return await Promise.all(paths.map(async (path) => {
    const response = await service.fetch(path, { key });
    return [response.status, await response.json()];
  }));
}

/** Chats through all services until `until` settles; returns the number of completed chats. */
async function generateLoad(
  services: readonly TestService[],
  { until, ...chat }: Chat & { until: Promise<unknown> },
) {
  let isOver = false;
  const ends: string[] = [];
  void until.finally(() => isOver = true);
  await Promise.all(Array.from({ length: LOADERS }, async (_, n) => {
    while (!isOver) ends.push((await sendMessage(services[n % services.length]!, chat)).end);
  }));
  assertEquals(new Set(ends), new Set(["stop"]));
  return ends.length;
}

/** A copy made under load has the active runs, and its accounts balance once they are settled. */
async function checkCopy(path: string, { providerEnv }: Setup): Promise<void> {
  using kv = await openTestKv(path);
  assert((await readStoredUsage(kv)).live.length >= HELD_RUNS);
  let ahead = 0;
  const runtime = { now: () => systemRuntime.now() + ahead };
  await using service = await TestService.start({ kv, keepKv: true, env: providerEnv, runtime });
  await sweepOrphaned(service.service.orphanedRuns, (ms) => void (ahead += ms));
  const { live, used, settled } = await readStoredUsage(kv);
  // One ledger per shard.
  const ledgers = await valuesOf<Ledger>(kv, keys.tenantLedgers());
  assertEquals([live, ledgers.flatMap(({ runs }) => Object.keys(runs))], [[], []]);
  const spent = ledgers.reduce((sum, ledger) => sum + ledger.spent, 0);
  assertEquals([used, spent], [settled, settled.cost]);
  assert(settled.cost > 0);
}

Deno.test({
  name:
    "DENOKV_BIN: docs/operations.md: moving to denokv, a backup under load, restoring it and moving back to the file preserve the data",
  ignore,
  async fn() {
    const dir = await Deno.makeTempDir();
    await using provider = await startProvider();
    try {
      const env = await documentedEnv(dir);
      const setup: Setup = { env, providerEnv: provider.env };
      const secrets = { hmacSecret: TEST_HMAC_SECRET, encryptionKey: TEST_ENCRYPTION_KEY };
      await Deno.writeTextFile(`${env.DATA_DIR}/secrets.json`, JSON.stringify(secrets, null, 2));
      const file = () => openTestKv(`${env.DATA_DIR}/kv.sqlite3`);

      const first = await createData(setup, file);
      await runBlock("to-denokv", { env });
      await runBlock("denokv.env", { env });
      await runBlock("agent-chat.env", { env });
      const { API_KEY_HMAC_SECRET, ENCRYPTION_KEY } = await readEnvFile(
        `${env.ETC}/agent-chat.env`,
      );
      assertEquals([API_KEY_HMAC_SECRET, ENCRYPTION_KEY], Object.values(secrets));
      const copy = await backUp(setup, { first, release: provider.release });
      await checkCopy(`${dir}/checked.sqlite3`, setup);
      await restore(setup, { first, copy });
      await runBlock("from-denokv", { env });
      await using alone = await startServices(setup, { open: file, processes: 1 });
      assertEquals(await readAll(alone.services[0]!, first), first.before);
      assertEquals((await sendMessage(alone.services[0]!, first)).end, "stop");
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});

/** Creates an agent, a key and a conversation in a file, and returns them as the API reads them. */
async function createData(setup: Setup, open: () => Promise<Deno.Kv>) {
  await using alone = await startServices(setup, { open, processes: 1 });
  const service = alone.services[0]!;
  await service.service.catalogue.addMissing([catalogueEntry()]);
  const key = await service.key(["agents:write", "conversations:read"]);
  const modelPolicy = { provider: "vendor_a", model: "mid" };
  const { id: agentId } = await service.agent(key, { modelPolicy });
  const { id, end } = await sendMessage(service, { key, agentId });
  assertEquals(end, "stop");
  // The same commands back up a file while the service has it open.
  const ofFile = { ...setup.env, STATE: setup.env.DATA_DIR, BACKUPS: setup.env.ETC };
  assertEquals(await runBlock("backup", { env: ofFile }), "ok\n");
  return { key, agentId, id, before: await readAll(service, { key, agentId, id }) };
}

type First = Awaited<ReturnType<typeof createData>>;

/** Makes the documented backup while two processes are under load; returns its path. */
async function backUp(
  setup: Setup,
  { first, release }: { first: First; release: () => void },
): Promise<string> {
  const { env } = setup;
  await using _server = await startDocumentedDenokv(env, bin!);
  const open = () => openDocumentedKv(env);
  await using fleet = await startServices(setup, { open, processes: 2 });
  for (const service of fleet.services) assertEquals(await readAll(service, first), first.before);
  const held = Array.from(
    { length: HELD_RUNS },
    (_, n) => sendMessage(fleet.services[n % 2]!, { ...first, content: "hold" }),
  );
  // The held runs must have started before the copy is made.
  const activeRuns = () =>
    fleet.services.reduce((n, { service }) => n + service.chat.active.length, 0);
  while (activeRuns() < HELD_RUNS) await sendMessage(fleet.services[0]!, first);
  const printed = runBlock("backup", { env });
  assert(await generateLoad(fleet.services, { ...first, until: printed }) > 0);
  assertEquals(await printed, "ok\n");
  release();
  for (const { end } of await Promise.all(held)) assertEquals(end, "stop");
  const [name, ...others] = [...Deno.readDirSync(env.BACKUPS)].map(({ name }) => name);
  assertEquals(others, []);
  const copy = `${env.BACKUPS}/${name}`;
  assertEquals((await Deno.stat(copy)).mode! & 0o777, 0o600);
  await Deno.copyFile(copy, `${env.BACKUPS}/../checked.sqlite3`);
  return copy;
}

/** Restores the copy and checks that the services read the data of before it. */
async function restore(
  setup: Setup,
  { first, copy }: { first: First; copy: string },
): Promise<void> {
  const { env } = setup;
  await runBlock("restore", { env: { ...env, COPY: copy } });
  await using _server = await startDocumentedDenokv(env, bin!);
  const open = () => openDocumentedKv(env);
  await using fleet = await startServices(setup, { open, processes: 2 });
  for (const service of fleet.services) assertEquals(await readAll(service, first), first.before);
}

Deno.test({
  name:
    "DENOKV_BIN: docs/operations.md: denokv requires a token of 12 characters, and has the stated default address",
  ignore,
  async fn() {
    const serve = async (token: string, args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(bin!, {
        args: ["serve", ...args],
        env: { DENO_KV_SQLITE_PATH: ":memory:", DENO_KV_ACCESS_TOKEN: token },
      }).output();
      return { code, text: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
    };
    const short = await serve("x".repeat(11), ["--addr", "127.0.0.1:0"]);
    assertEquals(short.code, 1);
    assertStringIncludes(short.text, "at minimum 12 chars");
    assertStringIncludes((await serve("", ["--help"])).text, "[default: 0.0.0.0:4512]");
  },
});

const HAPROXY = "/usr/sbin/haproxy";
const hasHaproxy = await Deno.stat(HAPROXY).then(() => true, () => false);
if (!ignore && !hasHaproxy) {
  console.log(
    "HAProxy is not installed (apt-get install haproxy): the HAProxy configurations are not tested",
  );
}

Deno.test({
  name:
    "DENOKV_BIN: docs/operations.md: through the documented HAProxy, doctor finds no problem and a process starts",
  ignore: ignore || !hasHaproxy,
  async fn() {
    const dir = await Deno.makeTempDir();
    try {
      const env = await documentedEnv(dir);
      await Deno.mkdir(env.STATE, { mode: 0o700 });
      await Deno.mkdir(`${dir}/bin`);
      await Deno.symlink(Deno.execPath(), `${dir}/bin/deno`);
      const secrets = { hmacSecret: TEST_HMAC_SECRET, encryptionKey: TEST_ENCRYPTION_KEY };
      await Deno.writeTextFile(`${env.DATA_DIR}/secrets.json`, JSON.stringify(secrets, null, 2));
      for (const name of ["denokv.env", "agent-chat.env"]) await runBlock(name, { env });
      await using _server = await startDocumentedDenokv(env, bin!);
      const pem = (name: string) => Deno.readTextFile(`${TLS}${name}`);
      await Deno.writeTextFile(`${dir}/kv.pem`, await pem("leaf.pem") + await pem("leaf.key"));
      const doctor = async (url: string) => {
        const path = `${env.ETC}/agent-chat.env`;
        const text = await Deno.readTextFile(path);
        await Deno.writeTextFile(path, text.replace(/^KV_URL=.*$/m, `KV_URL=${url}`));
        const more = {
          PATH: `${dir}/bin:${Deno.env.get("PATH")}`,
          NODE_EXTRA_CA_CERTS: `${TLS}ca.pem`,
        };
        return await runBlock("doctor", { env: { ...env, ...more }, cwd: ROOT });
      };
      const plain = await startHaproxy((port) =>
        configNamed("haproxy", {
          "127.0.0.1:4513": `127.0.0.1:${port}`,
          "kv.internal:4512": env.ADDR,
        })
      );
      await using _plain = plain;
      const tls = await startHaproxy((port) =>
        configNamed("haproxy-tls", {
          "bind :4513": `bind 127.0.0.1:${port}`,
          "127.0.0.1:4512": env.ADDR,
          "/etc/haproxy/kv.pem": `${dir}/kv.pem`,
        })
      );
      await using _tls = tls;
      for (const url of [`http://${plain.host}`, `https://${tls.host}`]) {
        const report = await doctor(url);
        assertStringIncludes(report, `Store    KV server at ${url}`);
        assert(!report.includes("To do:"), report);
      }
      const variables = await readEnvFile(`${env.ETC}/agent-chat.env`);
      const started = { ...variables, NODE_EXTRA_CA_CERTS: `${TLS}ca.pem` };
      await using service = await startService(dir, started, { onLog: () => {} });
      const ready = await fetch(`${service.base}/readyz`);
      assertEquals([ready.status, await ready.json()], [200, { status: "ok" }]);
      assertEquals((await service.stop()).code, 0);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});

Deno.test({
  name: "docs/operations.md: systemd accepts denokv's unit",
  ignore: !(await Deno.stat("/usr/bin/systemd-analyze").then(() => true, () => false)),
  async fn() {
    const dir = await Deno.makeTempDir();
    try {
      const unit = await configNamed("denokv.service", { "/usr/local/bin/denokv": "/bin/true" });
      await Deno.writeTextFile(`${dir}/denokv.service`, unit);
      const { success, stderr } = await new Deno.Command("systemd-analyze", {
        args: ["verify", "--man=no", `${dir}/denokv.service`],
      }).output();
      assertEquals([success, new TextDecoder().decode(stderr)], [true, ""]);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
