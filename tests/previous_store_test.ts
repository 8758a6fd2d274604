/** A store in the old value format can be read, and migrates as it is written. */
import { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import { compactFile } from "@/lib/server/process/compact_file.ts";
import { withValueEncoding } from "@/lib/store/kv/with_value_encoding.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { ended } from "./support/conversations.ts";
import { expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import {
  answersAt,
  CREATION,
  ENV,
  type Furnished,
  SECRET,
  unpackStore,
} from "./support/previous_store.ts";
import { expiryTimes } from "./support/legacy_content.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

/** The service on a copy of the fixture store at the time of its release; `change` edits the file first. */
async function open(change: (file: string) => Promise<void> = () => Promise.resolve()) {
  const dir = await Deno.makeTempDir();
  const before = await unpackStore(`${dir}/kv.sqlite3`);
  await change(`${dir}/kv.sqlite3`);
  const raw = await Deno.openKv(`${dir}/kv.sqlite3`);
  const { runtime } = instantRuntime(before.now);
  const service = await TestService.start({
    kv: withValueEncoding(raw),
    keepKv: true,
    runtime,
    env: ENV,
  });
  return {
    ...{ before, raw, service },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      raw.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

/** Keys of the values in the old format, V8's: those that are not bytes. */
async function oldValues(raw: Deno.Kv): Promise<string[]> {
  const rows = await Array.fromAsync(raw.list({ prefix: [] }));
  return rows.filter(({ value }) => !(value instanceof Uint8Array)).map(({ key }) => key.join("/"));
}

function patchAgent(service: TestService, { key, agentId }: Furnished) {
  return service.fetch(`/v1/agents/${agentId}`, {
    method: "PATCH",
    key,
    json: { name: "Renamed" },
  });
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Without the fields that answers have since then. */
function withoutNewFields(answer: string): string {
  return answer.replace(/,"byProtocol":\[[^\]]*\]/, "")
    .replace(/("chunkCount":\d+),"version":\d+/g, "$1")
    .replace(/,"(attachmentBytes|users|apiKeys|toolSecrets|testSets)":\{[^}]*\}/g, "");
}

/** Checks that the service answers as the release that wrote the store did. */
async function expectSameAnswers({ before: { at, answers }, service }: Opened): Promise<void> {
  for (const [path, answer] of Object.entries(await answersAt(service, at))) {
    const isSame = answer.startsWith("200 ") && withoutNewFields(answer) === answers[path];
    assert(isSame, `${path}: ${answer.slice(0, 400)}`);
  }
  const secret = await service.service.secrets.find(at.tenant, SECRET.name);
  assertEquals(secret?.value, SECRET.value);
  const creation = { ...CREATION, method: "POST", key: at.key };
  const { id } = await expectJson(await service.fetch("/v1/agents", creation), 201);
  assert(
    answers["/v1/agents"]!.includes(id),
    "the idempotent request must be answered from the store",
  );
}

Deno.test("a store of the previous release: every answer is the same as that release's", async () => {
  await using on = await open();
  assert((await oldValues(on.raw)).length > 20);
  await expectSameAnswers(on);
});

Deno.test("a store of the previous release: compacting it converts every value and keeps every expiry", async () => {
  const expiries: ReturnType<typeof expiryTimes>[] = [];
  await using on = await open(async (file) => {
    const database = new DatabaseSync(file);
    database.exec("UPDATE kv SET expiration_ms = 4102444800000 WHERE length(k) % 2 = 0");
    database.close();
    expiries.push(expiryTimes(file));
    await compactFile(file);
    expiries.push(expiryTimes(file));
  });
  assertEquals(expiries[1], expiries[0]);
  assertEquals(await oldValues(on.raw), []);
  await expectSameAnswers(on);
});

Deno.test("a store of the previous release: values migrate as they are written", async () => {
  await using on = await open();
  const { at } = on.before;
  const before = await oldValues(on.raw);
  const agent = keys.agent(at.tenant, at.agentId);
  assert(before.includes(agent.join("/")));
  assertEquals((await expectJson(await patchAgent(on.service, at), 200)).version, 2);
  assertInstanceOf((await on.raw.get(agent)).value, Uint8Array);
  const body = {
    ...{ agentId: at.agentId, conversationId: at.conversationId },
    messages: [say("And tomorrow?")],
  };
  const { text } = await ended(await byKey(on.service, { key: at.key, body }));
  const path = `/v1/conversations/${at.conversationId}`;
  const { runs } = await expectJson(await on.service.fetch(path, { key: at.key }), 200);
  assertEquals([runs.length, runs[1].text], [2, text]);
  const left = await oldValues(on.raw);
  assertEquals(left.filter((key) => !before.includes(key)), []);
  assert(left.length < before.length);
});
