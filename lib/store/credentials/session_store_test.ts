import { assert, assertEquals, assertFalse, assertMatch, assertRejects } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys, storedText } from "@/tests/support/store.ts";
import { CorruptRecordError } from "../values/record.ts";
import { sessionKey, SessionStore } from "./session_store.ts";

const [OURS, THEIRS, AGENT] = [fakeUuid(801), fakeUuid(802), fakeUuid(901)];
const BOUND = { agentId: AGENT, origin: "https://shop.example" };

function open(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  return { runtime, sessions: new SessionStore(kv, runtime) };
}

Deno.test("SessionStore: a minted session is bound to agent and origin for 15 minutes and 50 messages", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  const minted = await sessions.mint(OURS, BOUND);
  assertMatch(minted.sessionToken, /^cs_[\w-]{64}$/);
  assertEquals(minted.expiresAt, "2030-01-01T00:15:00.000Z");
  assertEquals(minted.messageCap, 50);
  const session = await sessions.get(minted.sessionToken);
  assertEquals([session?.tenant, session?.agentId, session?.origin, session?.playground], [
    OURS,
    AGENT,
    "https://shop.example",
    false,
  ]);
});

Deno.test("SessionStore: the token itself is never stored", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  const { sessionToken } = await sessions.mint(OURS, BOUND);
  assertFalse((await storedText(kv)).includes(sessionToken.slice(3)));
});

Deno.test("SessionStore: exp decides, even while the entry is still stored", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions, runtime } = open(kv);
  const { sessionToken } = await sessions.mint(OURS, BOUND);
  await runtime.advance(15 * 60_000 - 1);
  assert(await sessions.get(sessionToken));
  await runtime.advance(1);
  assertEquals(await sessions.get(sessionToken), undefined);
  assertEquals((await storedKeys(kv)).length, 1);
});

Deno.test("SessionStore: an unknown token is not found", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  assertEquals(await sessions.get("cs_unknown"), undefined);
  assertEquals(await storedKeys(kv), []);
});

Deno.test("SessionStore: only its tenant can revoke a session, which removes every key", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  const { sessionToken } = await sessions.mint(OURS, BOUND);
  assertEquals(await sessions.revoke(THEIRS, sessionToken), undefined);
  assert(await sessions.get(sessionToken));
  assertMatch(await sessions.revoke(OURS, sessionToken) ?? "", /^[0-9a-f-]{36}$/);
  assertEquals(await storedKeys(kv), []);
  assertEquals(await sessions.revoke(OURS, sessionToken), undefined);
});

Deno.test("SessionStore: the error for a corrupt record names no value", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  await kv.set(await sessionKey("cs_broken"), { v: 1, origin: 5, tenant: "private" });
  const error = await assertRejects(() => sessions.get("cs_broken"), CorruptRecordError);
  assertFalse(error.message.includes("private"));
});
