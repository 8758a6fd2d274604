/** Publications: which version of an agent visitors get, and when. */
import { assert, assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { expectError, expectInvalid, expectJson } from "./support/expect_response.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { openPublishing } from "./support/publishing.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

Deno.test("an agent that was never given a publication serves each version as it is saved", async () => {
  await using on = await openPublishing();
  await on.save({ systemPrompt: "two" });
  assertEquals(await on.byKey(), "two");
  const read = await on.read();
  assertEquals(read.headers.get("etag"), '"1"');
  assertEquals(await expectJson(read, 200), { mode: "automatic", version: 2, latestVersion: 2 });
});

Deno.test("with a manual publication saving makes a draft, until it is published", async () => {
  await using on = await openPublishing();
  const token = await on.service.mint(on.key, on.id, ORIGIN);
  assertEquals((await on.publish({ mode: "manual" })).version, 1);
  await on.save({ systemPrompt: "two" });
  assertEquals([await on.byKey(), await on.onSite(token)], ["one", "one"]);
  const { systemPrompt } = await expectJson(await on.service.fetch(on.path, { key: on.key }), 200);
  assertEquals(systemPrompt, "two");
  const published = await on.publish({ mode: "manual", version: 2 });
  assert(published.changedAt !== undefined);
  assertEquals([published.version, published.latestVersion, published.previousVersion], [2, 2, 1]);
  assertEquals([await on.byKey(), await on.onSite(token)], ["two", "two"]);
  // Back to the earlier version.
  await on.publish({ mode: "manual", version: 1 });
  assertEquals(await on.byKey(), "one");
  const automatic = await on.publish({ mode: "automatic" });
  assertEquals([automatic.version, automatic.previousVersion], [2, 1]);
  assertEquals(await on.byKey(), "two");
});

Deno.test("a run's record names the published version, and the playground answers with the draft", async () => {
  await using on = await openPublishing();
  await on.publish({ mode: "manual" });
  await on.save({ systemPrompt: "two" });
  await on.byKey();
  const list = await on.service.fetch(`/v1/conversations?agentId=${on.id}`, { key: on.key });
  const { data: [{ id }] } = await expectJson(list, 200);
  const kept = await on.service.fetch(`/v1/conversations/${id}`, { key: on.key });
  assertEquals((await expectJson(kept, 200)).runs[0].agentVersion, 1);
  const minted = await on.service.fetch(`${on.path}/playground-session`, {
    ...{ method: "POST", key: on.key, json: {} },
  });
  const { sessionToken } = await expectJson(minted, 201);
  const json = { agentId: on.id, sessionToken, messages: [say("Hello")] };
  const headers = { "x-service-session": sessionToken };
  const tried = await on.service.fetch("/v1/chat/stream", { method: "POST", json, headers });
  assertEquals(textOf(await readFrames(tried)), "two");
});

Deno.test("origins belong to the published version, for mints and for sessions minted earlier", async () => {
  await using on = await openPublishing();
  const other = "https://other.example.com";
  const token = await on.service.mint(on.key, on.id, ORIGIN);
  await on.publish({ mode: "manual" });
  await on.save({ allowedOrigins: [other], systemPrompt: "two" });
  assertEquals(await on.onSite(token), "one");
  const mint = (origin: string) =>
    on.service.fetch("/v1/widget/session", {
      ...{ method: "POST", key: on.key, json: { agentId: on.id }, headers: { origin } },
    });
  await expectError(await mint(other), "origin_not_allowed");
  await on.publish({ mode: "manual", version: 2 });
  await expectJson(await mint(other), 201);
  await expectError(await mint(ORIGIN), "origin_not_allowed");
  const gone = await onPage(on.service, { agent: on, sessionToken: token });
  await expectError(gone, "origin_not_allowed");
});

Deno.test("of two publishers that read the same publication, one is rejected", async () => {
  await using on = await openPublishing();
  await on.save({ systemPrompt: "two" });
  const etag = (await on.read()).headers.get("etag")!;
  const answers = await Promise.all(
    [1, 2].map((version) => on.put({ mode: "manual", version }, { "if-match": etag })),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [200, 412]);
  assertEquals(answers.find(({ ok }) => ok)!.headers.get("etag"), '"2"');
  await Promise.all(answers.map((answer) => answer.body?.cancel()));
  const same = await expectJson(await on.read(), 200);
  // What is equal is not stored again.
  const again = await on.put({ mode: "manual" });
  assertEquals([again.headers.get("etag"), await expectJson(again, 200)], ['"2"', same]);
});

Deno.test("a version that is not stored, a foreign agent and a wrong scope are rejected", async () => {
  await using on = await openPublishing();
  await expectInvalid(await on.put({ mode: "manual", version: 9 }), ["version"]);
  await expectInvalid(await on.put({ mode: "automatic", version: 1 }), ["version"]);
  const other = "/v1/agents/3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d/publication";
  const json = { mode: "manual" };
  const foreign = await on.service.fetch(other, { method: "PUT", key: on.key, json });
  await expectError(foreign, "not_found");
  const key = await on.service.key(["agents:read"]);
  const weak = await on.service.fetch(`${on.path}/publication`, { method: "PUT", key, json });
  await expectError(weak, "insufficient_scope");
});

Deno.test("the published version outlives a hundred drafts, and goes with its agent", async () => {
  await using on = await openPublishing();
  await on.publish({ mode: "manual" });
  for (let n = 0; n < 101; n++) await on.save({ systemPrompt: `draft ${n}` });
  assertEquals(await on.byKey(), "one");
  const gone = await on.service.fetch(`${on.path}/versions/2`, { key: on.key });
  await expectError(gone, "not_found");
  await on.service.fetch(on.path, { method: "DELETE", key: on.key });
  const left = on.kv.list({ prefix: keys.agentVersions(await on.service.tenant(), on.id) });
  assertEquals(await Array.fromAsync(left), []);
  await expectError(await on.read(), "not_found");
});

Deno.test("what pages read of an agent's appearance is the published version's", async () => {
  await using on = await openPublishing({ appearance: { title: "First" } });
  const title = async () => {
    const read = await on.service.fetch(`/widget/${on.id}/appearance.json`);
    return (await expectJson(read, 200)).title;
  };
  await on.publish({ mode: "manual" });
  await on.save({ appearance: { title: "Second" } });
  assertEquals(await title(), "First");
  await on.save({ appearance: null });
  await on.publish({ mode: "manual", version: 2 });
  assertEquals(await title(), "Second");
  await on.service.fetch(on.path, { method: "DELETE", key: on.key });
  assertEquals((await on.kv.get(keys.appearance(on.id))).value, null);
});
