/** /conversations: full-text search over what was said. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openConversations } from "./support/conversations.ts";
import { ownerCookie } from "./support/owner.ts";
import { storedKeys } from "./support/store.ts";

async function open() {
  const fixture = await openConversations();
  const headers = { cookie: await ownerCookie(fixture.service) };
  const html = async (path: string) => {
    const answer = await fixture.service.fetch(path, { headers });
    assertEquals(answer.status, 200, path);
    return await answer.text();
  };
  const rows = async (query: string) =>
    [...(await html(`/conversations?${query}`)).matchAll(/href="\/conversations\/([\w-]{36})\?/g)]
      .map(([, id]) => id);
  const locationOf = async (path: string) =>
    (await fixture.service.fetch(path, { headers, redirect: "manual" })).headers.get("location");
  return { ...fixture, html, rows, locationOf };
}

Deno.test("/conversations?q: finds what was said a moment ago, marks it, and links to its run", async () => {
  await using fixture = await open();
  const { chat, html, rows } = fixture;
  const parcel = await chat("Where is my <b>parcel</b>?");
  const refund = await chat("I want a refund");
  assertEquals(await rows("q=Parcels"), [parcel.id]);
  assertEquals(await rows("q=refund&source=widget"), [refund.id]);
  assertEquals(await rows("q=refund&source=api"), []);
  const page = await html("/conversations?q=parcel");
  assertStringIncludes(page, "<mark>parcel</mark>");
  assertStringIncludes(page, "&lt;b>");
  assertStringIncludes(page, `#run-${parcel.runId}"`);
  assertStringIncludes(page, 'aria-label="Remove filter: Contains “parcel”"');
  assertStringIncludes(await html("/conversations?q=umbrella"), "No conversations match");
});

Deno.test("/conversations: texts are shortened between emoji, never within one", async () => {
  await using fixture = await open();
  const { chat, html } = fixture;
  for (const before of ["", "a"]) {
    await chat(`${before}${"😀".repeat(100)} orchid ${before}${"😀".repeat(100)}`);
  }
  for (const path of ["/conversations", "/conversations?q=orchid"]) {
    const page = await html(path);
    assertStringIncludes(page, "😀…");
    assertEquals(page.includes("\uFFFD"), false, path);
  }
});

Deno.test("/conversations?q: an ID opens its conversation", async () => {
  await using fixture = await open();
  const { chat, locationOf } = fixture;
  const { id, runId } = await chat("Hello");
  for (const query of [id, runId.toUpperCase()]) {
    const location = await locationOf(`/conversations?q=${query}`);
    assert(location?.startsWith(`/conversations/${id}?`), `${location}`);
  }
});

Deno.test("DELETE /v1/conversations/:id: leaves nothing in the search index", async () => {
  await using fixture = await open();
  const { chat, rows, service, key, kv } = fixture;
  const { id } = await chat("a rare orchid");
  assertEquals(await rows("q=orchid"), [id]);
  assert((await storedKeys(kv)).some((one) => one.startsWith("search_recent")));
  assertEquals(
    (await service.fetch(`/v1/conversations/${id}`, { key, method: "DELETE" })).status,
    204,
  );
  assertEquals(await rows("q=orchid"), []);
  assertEquals((await storedKeys(kv)).filter((one) => one.startsWith("search_r")), []);
});
