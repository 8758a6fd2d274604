/** Files of messages: upload, what models receive, who may use them, and when they are gone. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import type { ValidationIssue } from "@/lib/schemas/error_codes.ts";
import { PROVIDER_IDS } from "@/lib/schemas/provider_id.ts";
import { download, sendFile, upload, type UploadCredential } from "./support/attachments.ts";
import { catalogueEntry } from "./support/chat.ts";
import { ended } from "./support/conversations.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { IMAGES, makeGif, makeJpeg, makePng, SECRET_METADATA } from "./support/make_image.ts";
import { makePdf } from "./support/make_pdf.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { openTestKv } from "./support/open_kv.ts";
import { ProviderService } from "./support/provider_service.ts";
import { readFrames } from "./support/frames.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { TestService, type TestServiceOptions } from "./support/service.ts";
import { answered, byKey, onPage, ORIGIN, say } from "./support/widget_calls.ts";

const BOTH = { attachments: { images: true, documents: true } };
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** A service with an agent on the demo model that takes every file, and a session of its page. */
async function open(options: TestServiceOptions = {}) {
  const kv = options.kv ?? await openTestKv();
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime, ...options, kv, keepKv: true });
  const key = await service.key([
    ...["agents:write", "widget:mint", "billing:read", "conversations:write"] as const,
  ]);
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN], ...BOTH });
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const byAgent: UploadCredential = { key, agentId: agent.id };
  return {
    ...{ kv, service, key, agent, sessionToken, byAgent, advance },
    session: { sessionToken } as UploadCredential,
    ask: (messages: unknown[], body: Record<string, unknown> = {}) =>
      onPage(service, { agent, sessionToken, body: { messages, ...body } }),
    storage: async () => {
      const usage = await expectJson(await service.fetch("/v1/usage", { key }), 200);
      return usage.storage.attachmentBytes.used as number;
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      if (options.kv === undefined) kv.close();
    },
  };
}

/** The first words of every key in the store. */
async function storedKinds(kv: Deno.Kv): Promise<Set<string>> {
  const kinds = new Set<string>();
  for await (const { key } of kv.list({ prefix: [] })) kinds.add(String(key[0]));
  return kinds;
}

const OF_ATTACHMENTS = [
  ...["attachments", "attachment_parts", "attachment_texts", "attachments_due"],
  ...["attachment_uses", "conversation_attachments"],
];

async function attachmentKinds(kv: Deno.Kv): Promise<string[]> {
  const kinds = await storedKinds(kv);
  return OF_ATTACHMENTS.filter((kind) => kinds.has(kind));
}

function using(content: string, ...attachments: string[]) {
  return { ...say(content), attachments };
}

Deno.test("POST /v1/chat/attachments: stores an image without its metadata, and only its uploader reads it", async () => {
  await using on = await open();
  const { service, session } = on;
  const file = { bytes: makeJpeg(), name: 'C:\\photos\\Käse "1".png', type: "text/html" };
  const image = await upload(service, session, file);
  const { id, bytes, expiresAt, ...rest } = image;
  assertEquals(rest, { kind: "image", mediaType: "image/jpeg", name: 'Käse "1".png' });
  assert(Date.parse(expiresAt) > 0 && bytes < file.bytes.length);
  const read = await download(service, session, id);
  assertEquals(read.status, 200);
  const headers = ["content-type", "x-content-type-options", "content-security-policy"];
  assertEquals(headers.map((name) => read.headers.get(name)), [
    ...["image/jpeg", "nosniff", "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ]);
  assertEquals(
    read.headers.get("content-disposition"),
    `inline; filename="K_se _1_.png"; filename*=UTF-8''K%C3%A4se%20%221%22.png`,
  );
  assertEquals(read.headers.get("access-control-allow-origin"), "*");
  const stored = await read.bytes();
  assertEquals(stored.length, bytes);
  assert(!new TextDecoder("latin1").decode(stored).includes(SECRET_METADATA));
});

Deno.test("POST /v1/chat/attachments: every accepted type is recognized by its content alone", async () => {
  await using on = await open();
  const files: [Uint8Array<ArrayBuffer> | string, string, string][] = [
    ...Object.entries(IMAGES).map(([type, make]) => [make(), "x.pdf", type] as never),
    [makePdf([[[12, "Hello from a PDF"]]]), "x.png", "application/pdf"],
    ["Hello", "x.png", "text/plain"],
    ["# Hello", "notes.md", "text/markdown"],
    ["a,b\n1,2", "table.CSV", "text/csv"],
  ];
  for (const [bytes, name, mediaType] of files) {
    const { kind, ...found } = await upload(on.service, on.byAgent, { bytes, name });
    assertEquals(found.mediaType, mediaType);
    assertEquals(kind, mediaType.startsWith("image/") ? "image" : "document");
    const read = await download(on.service, on.byAgent, found.id);
    assertEquals(read.headers.get("content-type")?.split(";")[0], mediaType);
    const disposition = kind === "image" ? "inline" : "attachment";
    assertStringIncludes(read.headers.get("content-disposition")!, disposition);
    assertEquals((await read.bytes()).length, found.bytes);
  }
});

Deno.test("POST /v1/chat/attachments: a file without a name is called after its type", async () => {
  await using on = await open();
  const types = [];
  for (const make of Object.values(IMAGES)) types.push(make());
  const files = [...types, makePdf([[[12, "Hello"]]]), "Hello"];
  const names = [];
  for (const bytes of files) {
    // A name of nothing but a folder.
    const { id, name, ...rest } = await upload(on.service, on.session, { bytes, name: "a/" });
    assertEquals(Object.keys(rest).sort(), ["bytes", "expiresAt", "kind", "mediaType"]);
    const read = await download(on.service, on.session, id);
    assertStringIncludes(read.headers.get("content-disposition")!, `; filename="${name}"`);
    await read.body?.cancel();
    names.push(name);
  }
  assertEquals(names.sort(), [
    ...["document.pdf", "document.txt", "image.gif", "image.jpg", "image.png", "image.webp"],
  ]);
});

Deno.test("POST /v1/chat/attachments: rejects what is none of them, damaged, empty or not sent as one file", async () => {
  await using on = await open();
  const send = (bytes: Uint8Array<ArrayBuffer> | string, name = "x.png") =>
    sendFile(on.service, on.byAgent, { bytes, name, type: "image/png" });
  for (const bytes of ["<!doctype html><p>Hi", "PK\x03\x04zip", "\x7fELF\0\0", "  %PDF-1.7 late"]) {
    await expectError(await send(bytes), "unsupported_media_type");
  }
  await expectError(await send("<html><script>alert(1)</script></html>"), "unsupported_media_type");
  for (const bytes of [makePng().slice(0, 40), "", "   \n ", "%PDF-1.7 nothing"]) {
    await expectError(await send(bytes as string), "schema_validation_failed");
  }
  await expectError(await send(new Uint8Array(10 * 1_048_576 + 1)), "payload_too_large");
  const two = new FormData();
  two.append("file", new File(["a"], "a"));
  two.append("file", new File(["b"], "b"));
  const other = new FormData();
  other.set("document", new File(["a"], "a"));
  const path = `/v1/chat/attachments?agentId=${on.agent.id}`;
  for (const body of [two, other, new FormData()]) {
    const sent = await on.service.fetch(path, { method: "POST", key: on.key, body });
    await expectError(sent, "schema_validation_failed");
  }
  const json = await on.service.fetch(path, { method: "POST", key: on.key, json: {} });
  await expectError(json, "unsupported_media_type");
  assertEquals([await attachmentKinds(on.kv), await on.storage()], [[], 0]);
});

Deno.test("POST /v1/chat/attachments: the agent must allow the kind of file", async () => {
  await using on = await open();
  const only = await on.service.agent(on.key, { attachments: { images: true } });
  const none = await on.service.agent(on.key);
  const send = (agentId: string, bytes: Uint8Array<ArrayBuffer> | string) =>
    sendFile(on.service, { key: on.key, agentId }, { bytes });
  assertEquals((await send(only.id, makePng())).status, 201);
  for (const [id, bytes] of [[only.id, "text"], [none.id, makePng()]] as const) {
    const { details } = await expectError(await send(id, bytes), "schema_validation_failed");
    assertEquals(issuesOf(details)[0]!.code, "attachment_not_allowed");
  }
  const message = { agentId: only.id, messages: [using("Look", crypto.randomUUID())] };
  const sent = await byKey(on.service, { key: on.key, body: message });
  const { details } = await expectError(sent, "schema_validation_failed");
  assertEquals(issuesOf(details), [{
    path: "messages.0.attachments.0",
    code: "attachment_not_found",
    message: "there is no such attachment",
  }]);
});

Deno.test("POST /v1/chat/attachments: a repeated upload with its Idempotency-Key stores one file", async () => {
  await using on = await open();
  const headers = { "idempotency-key": crypto.randomUUID() };
  const send = (bytes: Uint8Array<ArrayBuffer>) =>
    sendFile(on.service, on.session, { bytes, name: "a.png" }, headers);
  const [first, second] = await Promise.all([send(makePng()), send(makePng())]);
  assertEquals([first.status, second.status], [201, 201]);
  const body = await first.json();
  assertEquals(await second.json(), body);
  assertEquals(await on.storage(), body.bytes);
  await expectError(await send(makeGif()), "idempotency_key_reused");
});

Deno.test("POST /v1/chat/attachments: a session uploads 20 files, however many at once, in two processes", async () => {
  const kv = await openTestKv();
  const { runtime } = instantRuntime();
  await using on = await open({ kv, runtime });
  await using other = await TestService.start({ kv, keepKv: true, runtime });
  const sent: Response[] = [];
  // More at once would wait for each other.
  while (sent.length < 28) {
    sent.push(
      ...await Promise.all([on.service, other, on.service, other].map((service, n) => {
        return sendFile(service, on.session, { bytes: makePng({ width: sent.length + n + 1 }) });
      })),
    );
  }
  const statuses = sent.map(({ status }) => status).sort();
  assertEquals(statuses, [...Array(20).fill(201), ...Array(8).fill(429)]);
  const rejected = sent.find(({ status }) => status === 429)!;
  assert(Number(rejected.headers.get("retry-after")) > 0);
  const { details } = await expectError(rejected, "rate_limit_exceeded");
  assertEquals(details, { scope: "session_uploads", limit: 20 });
  const stored = await Promise.all(
    sent.filter(({ status }) => status === 201).map((one) => one.json()),
  );
  const bytes = stored.reduce((sum, one) => sum + one.bytes, 0);
  assertEquals(await on.storage(), bytes);
  kv.close();
});

Deno.test("POST /v1/chat/attachments: the plan's quota is exact, and an expired file frees it", async () => {
  await using on = await open();
  const tenant = await on.service.tenant();
  const image = await upload(on.service, on.byAgent, { bytes: makePng() });
  await on.service.service.tenants.changePlan(tenant, (plan) => ({
    ...plan,
    quotas: { attachmentBytes: image.bytes + 10 },
  }));
  const full = await sendFile(on.service, on.byAgent, { bytes: makePng() });
  const { details } = await expectError(full, "quota_exceeded");
  assertEquals([details!.quota, details!.used], ["attachment_bytes", image.bytes]);
  on.advance(HOUR_MS);
  await on.service.service.attachmentSweeper.sweep();
  assertEquals([await attachmentKinds(on.kv), await on.storage()], [[], 0]);
  await upload(on.service, on.byAgent, { bytes: makePng() });
});

Deno.test("GET /v1/chat/attachments/:id: every other credential gets the same 404", async () => {
  await using on = await open();
  const { service, key, agent } = on;
  const bySession = await upload(service, on.session, { bytes: makePng() });
  const byKeyed = await upload(service, on.byAgent, { bytes: makePng() });
  const otherTenant = (await service.service.tenants.create("Other")).id;
  const foreign: Record<string, UploadCredential> = {
    "another session of the page": { sessionToken: await service.mint(key, agent.id, ORIGIN) },
    "another key": { key: await service.key(), agentId: agent.id },
    "a key of another tenant": {
      key: await service.key(["agents:write"], otherTenant),
      agentId: agent.id,
    },
  };
  const unknown = await expectError(
    await download(service, on.session, crypto.randomUUID()),
    "not_found",
  );
  for (const [name, credential] of Object.entries(foreign)) {
    for (const { id } of [bySession, byKeyed]) {
      const error = await expectError(await download(service, credential, id), "not_found");
      assertEquals(error, unknown, name);
    }
  }
  await expectError(await download(service, on.session, byKeyed.id), "not_found");
  await expectError(await download(service, on.byAgent, bySession.id), "not_found");
  const bare = await service.fetch(`/v1/chat/attachments/${bySession.id}`);
  await expectError(bare, "invalid_api_key");
  const elsewhere = await service.fetch(`/v1/chat/attachments/${bySession.id}`, {
    headers: { "x-service-session": on.sessionToken, origin: "https://evil.example.com" },
  });
  await expectError(elsewhere, "origin_not_allowed");
});

Deno.test("POST /v1/chat/stream: another credential's, agent's and an unknown attachment are the same 400", async () => {
  await using on = await open();
  const { service, key, agent } = on;
  const mine = await upload(service, on.session, { bytes: makePng() });
  const ofKey = await upload(service, on.byAgent, { bytes: makePng() });
  const other = await service.agent(key, { allowedOrigins: [ORIGIN], ...BOTH });
  const visitor = await service.mint(key, agent.id, ORIGIN);
  const conversationId = crypto.randomUUID();
  const messagesOf = (id: string) => [using("Look", id)];
  const calls = [
    onPage(service, { agent, sessionToken: visitor, body: { messages: messagesOf(mine.id) } }),
    onPage(service, {
      ...{ agent, sessionToken: visitor },
      body: { conversationId, messages: messagesOf(mine.id) },
    }),
    on.ask(messagesOf(ofKey.id)),
    on.ask(messagesOf(crypto.randomUUID())),
    byKey(service, { key, body: { agentId: agent.id, messages: messagesOf(mine.id) } }),
    byKey(service, { key, body: { agentId: other.id, messages: messagesOf(ofKey.id) } }),
  ];
  for (const response of await Promise.all(calls)) {
    const { details } = await expectError(response, "schema_validation_failed");
    assertEquals(issuesOf(details).map(({ code }) => code), [
      "attachment_not_found",
    ]);
  }
  await ended(await on.ask(messagesOf(mine.id)));
});

Deno.test("POST /v1/chat/stream: a message has at most 8 attachments, and only the user's have any", async () => {
  await using on = await open();
  const ids = [];
  for (let width = 1; width <= 9; width++) {
    ids.push((await upload(on.service, on.session, { bytes: makePng({ width }) })).id);
  }
  const wrong = [
    [using("Hi", ...ids)],
    [using("Hi")],
    [{ ...say("Hi"), attachments: ["x"] }],
    [say("Hi"), { ...answered("Yes"), attachments: [ids[0]] }, say("So?")],
  ];
  for (const messages of wrong) {
    await expectError(await on.ask(messages), "schema_validation_failed");
  }
  const { id } = await ended(await on.ask([using("Hi", ...ids.slice(0, 8))]));
  const path = `/v1/conversations/${id}`;
  const { runs } = await expectJson(await on.service.fetch(path, { key: on.key }), 200);
  const shown = runs[0].messages[0].attachments.map((one: { id: string }) => one.id);
  assertEquals(shown, ids.slice(0, 8));
});

Deno.test("an unused attachment expires after an hour, a used one lives as long as its conversation", async () => {
  await using on = await open();
  const { service, session, advance } = on;
  const [unused, used] = [
    await upload(service, on.byAgent, { bytes: makePng() }),
    await upload(service, on.byAgent, { bytes: makePng({ width: 9 }) }),
  ];
  const body = { agentId: on.agent.id, messages: [using("Look", used.id)] };
  const { id } = await ended(await byKey(service, { key: on.key, body }));
  advance(HOUR_MS);
  await expectError(await download(service, on.byAgent, unused.id), "not_found");
  assertEquals((await download(service, on.byAgent, used.id)).status, 200);
  await service.service.attachmentSweeper.sweep();
  assertEquals(await on.storage(), used.bytes);
  assertEquals((await download(service, on.byAgent, used.id)).status, 200);
  advance(29 * DAY_MS - HOUR_MS);
  await service.service.attachmentSweeper.sweep();
  assertEquals((await download(service, on.byAgent, used.id)).status, 200);
  const again = {
    ...{ agentId: on.agent.id, conversationId: id },
    messages: [using("Look", used.id), answered("Yes"), say("And now?")],
  };
  await ended(await byKey(service, { key: on.key, body: again }));
  advance(20 * DAY_MS);
  await service.service.attachmentSweeper.sweep();
  assertEquals((await download(service, on.byAgent, used.id)).status, 200);
  advance(11 * DAY_MS);
  await service.service.attachmentSweeper.sweep();
  assertEquals([await on.storage(), session !== undefined], [0, true]);
});

Deno.test("DELETE /v1/conversations/:id erases its attachments, also after an interrupted attempt", async () => {
  await using on = await open();
  const { service, kv, key } = on;
  const file = await upload(service, on.session, { bytes: "Some private words", name: "a.txt" });
  const { id } = await ended(await on.ask([using("Read", file.id)]));
  assertEquals(await attachmentKinds(kv), OF_ATTACHMENTS);
  // What a crash leaves: the record is gone, its content and its place in the queue are not.
  const tenant = await service.tenant();
  await kv.atomic().delete(keys.attachment(tenant, file.id))
    .set(keys.attachmentDue(0, tenant, file.id), { v: 1 }).commit();
  await service.service.attachmentSweeper.sweep();
  assert(!(await attachmentKinds(kv)).includes("attachment_parts"));
  const second = await upload(service, on.session, { bytes: "More private words" });
  await ended(await on.ask([using("Read", second.id)], { conversationId: id }));
  const path = `/v1/conversations/${id}`;
  assertEquals((await service.fetch(path, { method: "DELETE", key })).status, 204);
  await expectError(await download(service, on.session, second.id), "not_found");
  on.advance(HOUR_MS);
  await service.service.attachmentSweeper.sweep();
  assertEquals(await attachmentKinds(kv), []);
});

Deno.test("a file, its name and its text are encrypted in the store", async () => {
  await using on = await open();
  const secret = "the recipe is three lemons";
  const { id } = await upload(on.service, on.session, { bytes: secret, name: "lemons.txt" });
  await ended(await on.ask([using("Read", id)]));
  for await (const { key, value } of on.kv.list({ prefix: [] })) {
    const text = Deno.inspect(value, { depth: 20, iterableLimit: 100_000 }) +
      (value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : "");
    assert(!text.includes("lemons"), key.join("/"));
  }
});

Deno.test("GET /v1/conversations/:id shows the attachments of messages; a repetition is not stored again", async () => {
  await using on = await open();
  const { service, key } = on;
  const image = await upload(service, on.session, { bytes: makePng(), name: "cat.png" });
  const { id, text } = await ended(await on.ask([using("Look", image.id)]));
  const followUp = [using("Look", image.id), answered(text), say("And?")];
  await ended(await on.ask(followUp, { conversationId: id }));
  const { runs } = await expectJson(await service.fetch(`/v1/conversations/${id}`, { key }), 200);
  const { expiresAt: _, ...shown } = image;
  assertEquals(runs.map(({ messages }: { messages: unknown }) => messages), [
    [{ ...say("Look"), attachments: [shown], claimed: false }],
    [{ ...say("And?"), claimed: false }],
  ]);
});

function issuesOf(details: Record<string, unknown> | undefined): ValidationIssue[] {
  return details?.issues as ValidationIssue[];
}

/** What each protocol calls the image, in a received body. */
// deno-lint-ignore no-explicit-any -- bodies are looked into field by field
type Body = any;
const IMAGE_FORMS = {
  vendor_a: (body: Body) => body.messages.at(-1).content[1],
  vendor_b: (body: Body) => body.messages.at(-1).content[0],
  vendor_c: (body: Body) => body.contents.at(-1).parts[0],
};

async function startOn(mock: MockProviders, change: Record<string, unknown> = {}) {
  return await ProviderService.start(mock, {
    catalogue: PROVIDER_IDS.flatMap((vendor) => [
      catalogueEntry({ vendor, vision: true, ...change }),
      catalogueEntry({ vendor, model: "blind" }),
    ]),
  });
}

for (const provider of PROVIDER_IDS) {
  Deno.test(`POST /v1/chat/stream: ${provider} receives an image in its own form, and a document as text`, async () => {
    await using mock = await MockProviders.start();
    await using on = await startOn(mock);
    const agent = await on.agent(provider, { budget: budget(5), ...BOTH });
    const credential = { key: on.key, agentId: agent.id };
    const image = await upload(on.service, credential, { bytes: makeJpeg() });
    const stored = await (await download(on.service, credential, image.id)).bytes();
    const csv = { bytes: "name,price\nTea,3", name: 'ignore "this".csv' };
    const table = await upload(on.service, credential, csv);
    const messages = [using("What is it?", image.id, table.id)];
    const frames = await readFrames(await on.send(agent, { messages }));
    assertEquals(onlyFrame(frames, "done").finishReason, "stop");
    const { body } = mock.requests[0]!;
    const base64 = stored.toBase64();
    assertEquals(
      IMAGE_FORMS[provider](body),
      {
        vendor_a: { type: "image_url", image_url: { url: `data:image/jpeg;base64,${base64}` } },
        vendor_b: {
          type: "image",
          source: { type: "base64", media_type: "image/jpeg", data: base64 },
        },
        vendor_c: { inlineData: { mimeType: "image/jpeg", data: base64 } },
      }[provider],
    );
    const text = JSON.stringify(body);
    assertStringIncludes(text, "What is it?\\n\\n[attached file ");
    assertStringIncludes(text, "name,price\\nTea,3");
    assertMatch(text, new RegExp(`\\[end of attached file ${table.id}\\]`));
    assert(!text.includes(SECRET_METADATA));
  });

  Deno.test(`POST /v1/chat/stream: ${provider}'s model without vision is an error before anything is sent`, async () => {
    await using mock = await MockProviders.start();
    await using on = await startOn(mock);
    const agent = await on.agent(provider, BOTH);
    const { id } = await upload(on.service, { key: on.key, agentId: agent.id }, {
      bytes: makePng(),
    });
    const messages = [using("Look", id)];
    const { details } = await expectError(
      await on.send(agent, { messages, model: "blind" }),
      "schema_validation_failed",
    );
    assertEquals(issuesOf(details), [{
      path: "messages.0.attachments.0",
      code: "model_without_vision",
      message: "the model blind cannot read images",
    }]);
    const later = [using("Look", id), answered("A cat"), say("Thanks")];
    await readFrames(await on.send(agent, { messages: later, model: "blind" }));
    assertEquals(mock.requests.length, 1);
    assertStringIncludes(
      JSON.stringify(mock.requests[0]!.body),
      '[an attached file is not available any more: \\"file\\", image/png]',
    );
  });
}

function budget(maxCostUsd: number) {
  return { maxCostUsd, maxSteps: 4, wallClockMs: 30_000 };
}

Deno.test("POST /v1/chat/stream: an image costs its token bound in the reservation, not its bytes", async () => {
  await using mock = await MockProviders.start();
  await using on = await startOn(mock);
  // 3 USD a million tokens: 40 megapixels are 5,000 tokens for Anthropic.
  const noise = Uint8Array.from({ length: 300_000 }, (_, n) => n * 7 % 255);
  const jpeg = makeJpeg({ width: 8_000, height: 5_000 });
  const large = new Uint8Array([...jpeg.slice(0, -2), ...noise, ...jpeg.slice(-2)]);
  const ask = async (maxCostUsd: number) => {
    const agent = await on.agent("vendor_b", { budget: budget(maxCostUsd), ...BOTH });
    const { id } = await upload(on.service, { key: on.key, agentId: agent.id }, { bytes: large });
    return await readFrames(await on.send(agent, { messages: [using("Look", id)] }));
  };
  const poor = await ask(0.014);
  assertEquals(onlyFrame(poor, "done").finishReason, "max_cost");
  assertEquals(mock.requests.length, 0);
  const rich = await ask(0.02);
  assertEquals(onlyFrame(rich, "done").finishReason, "stop");
  assertEquals(mock.requests.length, 1);
});

Deno.test("POST /v1/chat/stream: a fallback that cannot read the image is not asked", async () => {
  await using mock = await MockProviders.start();
  await using on = await startOn(mock);
  const send = async (model: string) => {
    const agent = await on.agent("vendor_a", {
      ...BOTH,
      budget: budget(5),
      fallback: { provider: "vendor_c", model },
    });
    const { id } = await upload(on.service, { key: on.key, agentId: agent.id }, {
      bytes: makeGif(),
    });
    mock.next({ status: 403 });
    const response = await on.send(agent, { messages: [using("Look", id)] });
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await send("blind"), await send("mid")], [502, 502]);
  assertEquals(mock.requests.map(({ protocol }) => protocol), ["openai", "openai"]);
});

Deno.test("POST /v1/chat/stream: follow-ups see earlier images while the context has room, the oldest leave first", async () => {
  await using mock = await MockProviders.start();
  await using on = await startOn(mock, { contextTokens: 12_000, maxOutputTokens: 1_000 });
  const agent = await on.agent("vendor_b", { budget: budget(5), ...BOTH });
  const credential = { key: on.key, agentId: agent.id };
  const [a, b, c] = await Promise.all(
    [1, 2, 3].map((n) =>
      upload(on.service, credential, { bytes: makePng({ width: 2_000, height: 1_400 + n }) })
    ),
  );
  const messages = [
    using("First", a!.id),
    answered("One"),
    using("Second", b!.id),
    answered("Two"),
    using("Third", c!.id),
    answered("Three"),
    say("Compare them"),
  ];
  await readFrames(await on.send(agent, { messages }));
  const text = JSON.stringify(mock.requests[0]!.body);
  // Each is 3,741 tokens or more, and 11,000 are left.
  assertEquals(text.split('"type":"image"').length - 1, 2);
  assert(!text.includes("First") && text.includes("Second") && text.includes("Compare them"));
});

Deno.test("POST /v1/chat/stream: a long document is shortened to the model's context, and says so", async () => {
  await using mock = await MockProviders.start();
  await using on = await startOn(mock, { contextTokens: 8_000, maxOutputTokens: 1_000 });
  const agent = await on.agent("vendor_a", { budget: budget(5), ...BOTH });
  const credential = { key: on.key, agentId: agent.id };
  const long = await upload(on.service, credential, { bytes: "Zeile „eins“ 🍋\n".repeat(8_000) });
  const short = await upload(on.service, credential, { bytes: "short and whole" });
  await readFrames(await on.send(agent, { messages: [using("Sum up", long.id, short.id)] }));
  const content: string = mock.requests[0]!.body.messages.at(-1).content;
  assert(new TextEncoder().encode(content).length < 21_500, String(content.length));
  assertStringIncludes(content, "short and whole");
  assertStringIncludes(content, "[the rest of the file is left out, because it is too long]");
  assert(content.isWellFormed());
});

Deno.test("a renewed session goes on with the attachments of its conversation, in another process", async () => {
  const kv = await openTestKv();
  const { runtime, advance } = instantRuntime();
  await using on = await open({ kv, runtime });
  await using other = await TestService.start({ kv, keepKv: true, runtime });
  const file = await upload(on.service, on.session, { bytes: "Lemons cost three euros" });
  const { id, text } = await ended(await on.ask([using("Read", file.id)]));
  advance(16 * 60_000);
  const sessionToken = await other.mint(on.key, on.agent.id, ORIGIN);
  const messages = [using("Read", file.id), answered(text), using("Again", file.id)];
  const again = await onPage(other, {
    ...{ agent: on.agent, sessionToken },
    body: { messages, conversationId: id },
  });
  await ended(again);
  // The uploader's expired session still reads the file, as it may still follow its runs.
  assertEquals((await download(other, on.session, file.id)).status, 200);
  await expectError(await download(other, { sessionToken }, file.id), "not_found");
  kv.close();
});

Deno.test("conversations that are not stored keep no attachment beyond its hour", async () => {
  await using on = await open();
  const tenant = await on.service.tenant();
  await on.service.service.tenants.changePlan(tenant, (plan) => ({ ...plan, conversationDays: 0 }));
  const { id } = await upload(on.service, on.session, { bytes: makePng() });
  await ended(await on.ask([using("Look", id)]));
  on.advance(HOUR_MS);
  await on.service.service.attachmentSweeper.sweep();
  assertEquals(await attachmentKinds(on.kv), []);
});
