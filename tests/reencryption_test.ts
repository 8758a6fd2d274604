/** Rotating the encryption key, and reading data from before encryption was introduced. */
import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { readConfig } from "@/lib/server/config/config.ts";
import { openStore } from "@/lib/server/process/open_store.ts";
import { StartupError } from "@/lib/server/process/startup_error.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { runCli } from "./support/command_line.ts";
import { download, upload } from "./support/attachments.ts";
import { ended } from "./support/conversations.ts";
import {
  NEW_ENCRYPTION_KEY as NEW,
  TEST_ENCRYPTION_KEY as OLD,
} from "./support/encryption_keys.ts";
import { expectJson } from "./support/expect_response.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { ownerCookie } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";
import { marker, markersIn, stolenBytes } from "./support/stolen_store.ts";
import { expiryTimes, storeLegacyContent } from "./support/legacy_content.ts";
import { answered, byKey, chat, embed, ORIGIN, say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

const SECRET = "s".repeat(32);

/** A temporary folder with a store file; disposing removes it. */
async function openFolder() {
  const dir = await Deno.makeTempDir();
  return {
    dir,
    /** Starts a service that closes the store when disposed. */
    open: async (encryptionKeys: readonly string[]) => {
      const kv = await openTestKv(`${dir}/kv.sqlite3`);
      const env = { DATA_DIR: dir };
      return { kv, service: await TestService.start({ kv, encryptionKeys, env }) };
    },
    cli: ([task, ...words]: ["secrets" | "compact", ...string[]], encryptionKey: string) => {
      const env = { ENCRYPTION_KEY: encryptionKey, API_KEY_HMAC_SECRET: SECRET };
      return runCli(task, words, { dir, env });
    },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

type StoredContent = Awaited<ReturnType<typeof storeContent>>;

/** Stores `text` in every encrypted place: short and long runs, tool calls, a secret, a connection and an idempotency record. */
async function storeContent(service: TestService, text: string) {
  const { agent } = await embed(service);
  const key = await service.key(["agents:write", "conversations:write"]);
  const ask = async (messages: unknown[], more: Record<string, unknown> = {}) =>
    await ended(await byKey(service, { key, body: { agentId: agent.id, messages, ...more } }));
  const first = await ask([say(`use nothing with {"q":"${text}"}`)]);
  const history = [say(`use nothing with {"q":"${text}"}`), answered(first.text), say("And now?")];
  const { id: conversationId } = first;
  const runs = [first, await ask(history, { conversationId })];
  const long = Array.from({ length: 16 }, (_, n) => say(`${n} ${text} `.repeat(350)));
  runs.push(await ask([...long, say("Well?")]));
  const rated = { method: "PUT", key, json: { rating: "down", comment: text, reasons: ["tone"] } };
  const feedback = `/v1/chat/runs/${first.runId}/feedback`;
  assertEquals((await service.fetch(feedback, rated)).status, 204);
  const tenant = await service.tenant();
  const { secrets, connections } = service.service;
  await secrets.set(tenant, { name: "CRM", value: `value-${text}`, domains: ["a.example"] });
  const slot = { protocol: "openai", baseUrl: "https://b.example", apiKey: text } as const;
  await connections.set("vendor_b", slot);
  const created = await create(service, key);
  const named = await storeVisitor(service, { agentId: agent.id, text });
  const file = await storeFile(service, key, text);
  return { named, tenant, key, agentId: agent.id, runs, long, text, created, file };
}

/** A session whose visitor is called `text`, and a conversation of that visitor. */
async function storeVisitor(
  service: TestService,
  { agentId, text }: { agentId: string; text: string },
) {
  const key = await service.key(["widget:mint"]);
  const minted = await service.fetch("/v1/widget/session", {
    method: "POST",
    key,
    json: { agentId, visitor: { id: text } },
    headers: { origin: ORIGIN },
  });
  const { sessionToken } = await expectJson(minted, 201);
  const { id: conversationId } = await ended(
    await chat(service, { id: agentId }, { sessionToken }),
  );
  return { sessionToken, conversationId };
}

/** Uploads a document that is named after its content. */
async function storeFile(service: TestService, key: string, text: string) {
  const { id: agentId } = await service.agent(key, { attachments: { documents: true } });
  const credential = { key, agentId };
  const { id } = await upload(service, credential, { bytes: text, name: `${text}.txt` });
  return { id, credential };
}

/** Creates one agent, idempotently. */
async function create(service: TestService, key: string) {
  const headers = { "idempotency-key": "create-once-1" };
  return await expectJson(
    await service.fetch("/v1/agents", { method: "POST", key, headers, json: agentBody() }),
    201,
  );
}

/** Everything that `storeContent` stored can be read, unchanged. */
async function expectReadable(service: TestService, content: StoredContent): Promise<void> {
  const { key, tenant, runs, text: stored } = content;
  const get = async (id: string) =>
    await expectJson(await service.fetch(`/v1/conversations/${id}`, { key }), 200);
  const [first, second, third] = runs;
  const short = (await get(first!.id)).runs;
  const texts = short.slice(0, 2).map(({ text }: { text: string }) => text);
  assertEquals(texts, [first!.text, second!.text]);
  assertEquals(short[0].toolCalls[0].args, { q: stored });
  assertEquals([short[0].feedback.comment, short[0].feedback.reasons], [stored, ["tone"]]);
  // Messages that the client sends again are recognised, so only the new one is stored.
  assertEquals(short[1].messages, [{ ...say("And now?"), claimed: false }]);
  const [run] = (await get(third!.id)).runs;
  assertEquals(run.messages.slice(0, 16), content.long.map((one) => ({ ...one, claimed: true })));
  for (const { runId, text } of runs) {
    const log = await service.fetch(`/v1/chat/runs/${runId}/stream?after=0`, { key });
    assertEquals(textOf(await readFrames(log)), text);
  }
  const { secrets, connections: connectionStore } = service.service;
  assertEquals((await secrets.find(tenant, "CRM"))?.value, `value-${stored}`);
  const { connections, unreadable } = await connectionStore.unsealAll();
  assertEquals([connections.vendor_b?.apiKey, unreadable], [stored, []]);
  assertEquals((await create(service, key)).id, content.created.id);
  const { sessionToken, conversationId } = content.named;
  assertEquals((await get(conversationId)).visitorId, stored);
  const { sessions } = service.service;
  const found = await sessions.find({ token: sessionToken });
  assertEquals((await sessions.visitorOf(found!.session))?.id, stored);
  const { file } = content;
  const read = await download(service, file.credential, file.id);
  assertStringIncludes(read.headers.get("content-disposition")!, stored);
  assertEquals(await read.text(), stored);
}

Deno.test("secrets reencrypt: runs in a service that has both keys, after which the old key can be dropped", async () => {
  await using on = await openFolder();
  const before = await on.open([OLD]);
  const content = await storeContent(before.service, marker());
  await before.service[Symbol.asyncDispose]();
  const expired = expiryTimes(`${on.dir}/kv.sqlite3`);
  {
    const { service } = await on.open([NEW, OLD]);
    await using _ = service;
    await expectReadable(service, content);
    const report = await service.service.reencryption.run();
    const { changed } = report;
    assertEquals([report.unreadable, report.pending], [{}, 0]);
    // Four runs; the transcript of the third takes two chunks and its log several.
    assert(changed["transcripts"]! >= 5 && changed["run logs"] === 4, JSON.stringify(changed));
    assertEquals(changed["visitors of sessions"], 1);
    assertEquals(changed["visitors of conversations"], 1);
    assertEquals([changed["tool secrets"], changed["vendor credentials"]], [1, 1]);
    assertEquals([changed["stored answers"], changed["feedback"]], [1, 1]);
    // Its name, its file and its text.
    assertEquals([changed["attachments"], changed["parts of attachments"]], [1, 2]);
    assertEquals((await service.service.reencryption.run()).changed, {});
    await expectReadable(service, content);
  }
  // Expiry times are kept.
  const now = expiryTimes(`${on.dir}/kv.sqlite3`);
  for (const [key, at] of expired) {
    const left = now.get(key);
    if (left === undefined || Math.abs(left - at) < 60_000) continue;
    // Log chunks have no expiry of their own: they take that of their log, which is earlier.
    assert(key.includes("run_chunks") && left < at, `${key}: ${left - at} ms`);
  }
  const { service } = await on.open([NEW]);
  await using _ = service;
  await expectReadable(service, content);
});

Deno.test("secrets reencrypt, then compact: plaintext from before encryption is gone from the file", async () => {
  await using on = await openFolder();
  const text = marker();
  const { kv, service } = await on.open([OLD]);
  const content = await storeContent(service, text);
  await storeLegacyContent(kv);
  await expectReadable(service, content);
  await sendFollowUp(service, content);
  await service[Symbol.asyncDispose]();
  assertEquals(markersIn(await stolenBytes(on.dir), { text }), ["text"]);

  const done = await on.cli(["secrets", "reencrypt"], `${NEW},${OLD}`);
  assertEquals([done.code, done.err], [0, ""]);
  for (const words of ["transcripts: ", "run logs: 5", "message digests: 2", "tool secrets: 1"]) {
    assertStringIncludes(done.out, words);
  }
  assertStringIncludes(done.out, "deno task compact");
  const compacted = await on.cli(["compact"], NEW);
  assertEquals([compacted.code, compacted.err], [0, ""]);
  assertEquals(markersIn(await stolenBytes(on.dir, { but: ["secrets.json"] }), { text }), []);
  const after = await on.open([NEW]);
  await using _ = after.service;
  await expectReadable(after.service, content);
});

Deno.test("ENCRYPTION_KEY: dropping the old key too early fails the start with instructions, and loses nothing", async () => {
  await using on = await openFolder();
  const { service } = await on.open([OLD]);
  const content = await storeContent(service, marker());
  await service[Symbol.asyncDispose]();
  const start = async (key: string) => {
    const config = readConfig({ DATA_DIR: on.dir, ENCRYPTION_KEY: key });
    await (await openStore(config, { openKv: Deno.openKv, runtime: systemRuntime })).close();
  };
  await start(OLD);
  const { message } = await assertRejects(() => start(NEW), StartupError);
  for (const part of ["conversations", "ENCRYPTION_KEY=<new>,<old>", "secrets reencrypt"]) {
    assertStringIncludes(message, part);
  }
  assertFalse(message.includes(OLD) || message.includes(NEW));
  const early = await on.cli(["secrets", "reencrypt"], NEW);
  assertEquals([early.code, early.out], [1, ""]);
  assertStringIncludes(early.err, message);
  const lost = await on.cli(["secrets", "reencrypt", "--forget"], NEW);
  assertEquals([lost.code, lost.err], [0, ""]);
  await start(NEW);
  // --forget leaves the data as it is: with the old key it can be read again.
  {
    const { service } = await on.open([NEW, OLD]);
    const { unreadable, pending } = await service.service.reencryption.run();
    await service[Symbol.asyncDispose]();
    assertEquals([unreadable, pending], [{}, 0]);
  }
  const after = await on.open([NEW]);
  await using _ = after.service;
  await expectReadable(after.service, content);
});

Deno.test("secrets reencrypt: reports records that were tampered with, and exits with 1", async () => {
  await using on = await openFolder();
  const { kv, service } = await on.open([OLD]);
  const { tenant, runs } = await storeContent(service, marker());
  await swapTranscripts(kv, tenant, runs.slice(0, 2).map(({ runId }) => runId));
  await service[Symbol.asyncDispose]();
  const done = await on.cli(["secrets", "reencrypt"], `${NEW},${OLD}`);
  assertEquals(done.code, 1);
  assertStringIncludes(done.err, "transcripts: 2");
  assertStringIncludes(done.out, "tool secrets: 1");
});

/** Sends a message with the whole history: only the new message is stored. */
async function sendFollowUp(
  service: TestService,
  { key, agentId, runs, text }: StoredContent,
): Promise<void> {
  const [first, second] = runs;
  const messages = [
    ...[say(`use nothing with {"q":"${text}"}`), answered(first!.text), say("And now?")],
    ...[answered(second!.text), say("Still known?")],
  ];
  const body = { agentId, messages, conversationId: first!.id };
  await ended(await byKey(service, { key, body }));
  const path = `/v1/conversations/${first!.id}`;
  const { runs: listed } = await expectJson(await service.fetch(path, { key }), 200);
  assertEquals(listed[2].messages, [{ ...say("Still known?"), claimed: false }]);
}

/** Swaps the transcripts of two runs, as an attacker with write access to the store could. */
async function swapTranscripts(
  kv: Deno.Kv,
  tenant: string,
  runIds: readonly string[],
): Promise<void> {
  const rows = await Array.fromAsync(
    kv.list<{ runId: string; words: Uint8Array }>({ prefix: ["conversation_runs", tenant] }),
  );
  const [one, other] = runIds.map((id) => rows.find(({ value }) => value.runId === id)!);
  await kv.atomic()
    .set(one!.key, { ...one!.value, words: other!.value.words })
    .set(other!.key, { ...other!.value, words: one!.value.words })
    .commit();
}

Deno.test("conversations: a run that cannot be decrypted is marked unreadable, and the others are shown", async () => {
  const kv = await openTestKv();
  const before = await TestService.start({ kv, keepKv: true, encryptionKeys: [OLD] });
  const content = await storeContent(before, marker());
  const [first, , third] = content.runs;
  await before[Symbol.asyncDispose]();
  const service = await TestService.start({ kv, encryptionKeys: [NEW] });
  await using _ = service;
  const { key, agentId } = content;
  const body = { agentId, messages: [say("Still there?")], conversationId: first!.id };
  await ended(await byKey(service, { key, body }));
  const { runs } = await expectJson(
    await service.fetch(`/v1/conversations/${first!.id}`, { key }),
    200,
  );
  const empty = { messages: [], text: "", toolCalls: [] };
  const { messages, text, toolCalls, unreadable } = runs[0];
  assertEquals({ messages, text, toolCalls }, empty);
  assertEquals([unreadable, runs[2].unreadable], [true, undefined]);
  assertEquals(runs[2].messages.at(-1).content, "Still there?");

  const cookie = await ownerCookie(service);
  const page = async (path: string) => {
    const response = await service.fetch(path, { headers: { cookie } });
    assertEquals(response.status, 200);
    return await response.text();
  };
  assertStringIncludes(await page("/conversations"), third!.id);
  assertStringIncludes(await page(`/conversations/${third!.id}`), "cannot be decrypted");
  const log = await service.fetch(`/v1/chat/runs/${first!.runId}/stream?after=0`, { key });
  assertEquals((await readFrames(log)).at(-1)?.frame.type, "done");
  const lines = service.logged.filter((line) => line.includes("cannot be decrypted"));
  assertStringIncludes(lines.join(""), keys.run(content.tenant, first!.runId).slice(1).join("/"));
  assertFalse(lines.join("").includes(content.text));
});
