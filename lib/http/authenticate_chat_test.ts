import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { agentOf } from "@/tests/support/agents.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { SessionService } from "../services/session_service.ts";
import { Signer } from "../platform/crypto/signer.ts";
import { ApiError } from "../schemas/api_error.ts";
import { ApiKeyStore } from "../store/credentials/api_key_store.ts";
import { type Session, SessionStore } from "../store/credentials/session_store.ts";
import type { ChatBody } from "../schemas/chat.ts";
import {
  authenticateChat,
  type ChatCaller,
  checkSessionOrigin,
  checkTokens,
} from "./authenticate_chat.ts";

const SHOP = "https://shop.example";
const AGENT = agentOf({ allowedOrigins: [SHOP] });

/** A store with one key of tenant 801 and one session of tenant 802. */
async function open(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  const apiKeys = new ApiKeyStore(kv, { runtime, signer: new Signer(["secret"]) });
  const sessions = new SessionService(new SessionStore(kv, runtime), { runtime });
  const made = await apiKeys.create(fakeUuid(801), { name: "k", scopes: ["widget:mint"] });
  const { sessionToken } = await sessions.mintForOrigin(fakeUuid(802), AGENT, SHOP);
  const committer = new GroupCommitter(kv, { runtime });
  const now = runtime.now();
  const hints = { address: "address", agentId: AGENT.id, protocol: "native" as const, now };
  const call = (headers: Record<string, string>) =>
    committer.transact((view) =>
      authenticateChat(new Request("http://127.0.0.1/", { headers }), {
        service: { apiKeys, sessions },
        clientAddress: "203.0.113.7",
        rateLimiter: { identify: (view, find) => find(view) },
      }, { view, hints })
    );
  return { call, bearer: `Bearer ${made.secret}`, token: sessionToken };
}

function body(change: Partial<ChatBody> = {}): ChatBody {
  return { agentId: AGENT.id, messages: [{ role: "user", content: "hi" }], ...change };
}

Deno.test("authenticateChat: a session identifies its tenant", async () => {
  using kv = await Deno.openKv(":memory:");
  const { call, token } = await open(kv);
  const caller = await call({ "x-service-session": token });
  assertEquals([caller.kind, caller.tenant], ["session", fakeUuid(802)]);
});

Deno.test("authenticateChat: an API key decides, with or without a session", async () => {
  using kv = await Deno.openKv(":memory:");
  const { call, bearer, token } = await open(kv);
  const alone = await call({ authorization: bearer });
  assertEquals(alone, { ...alone, kind: "key", tenant: fakeUuid(801), sessionHeader: undefined });
  assertMatch(alone.id, /^[0-9a-f-]{36}$/);
  const both = await call({ authorization: bearer, "x-service-session": token });
  assertEquals(both, { ...alone, sessionHeader: token } as ChatCaller);
});

Deno.test("authenticateChat: no credential is invalid_api_key, and so is a bad key with a session", async () => {
  using kv = await Deno.openKv(":memory:");
  const { call, token } = await open(kv);
  for (const headers of [{}, { authorization: "Bearer x", "x-service-session": token }]) {
    const error = await assertRejects(() => call(headers), ApiError);
    assertEquals(error.code, "invalid_api_key");
  }
});

Deno.test("authenticateChat: an unknown or empty session token is 401", async () => {
  using kv = await Deno.openKv(":memory:");
  const { call } = await open(kv);
  for (const token of ["cs_unknown_token_of_nobody", ""]) {
    const error = await assertRejects(() => call({ "x-service-session": token }), ApiError);
    assertEquals(error.code, "session_token_invalid");
  }
});

function session(change: Partial<Session> = {}): Session {
  return {
    v: 1,
    id: fakeUuid(5),
    tenant: fakeUuid(802),
    agentId: AGENT.id,
    origin: SHOP,
    playground: false,
    exp: 1,
    messages: 0,
    messageCap: 50,
    ...change,
  };
}

Deno.test("checkTokens: a session's body must repeat the header's token and name its agent", () => {
  const token = "cs_0123456789abcdef";
  const caller: ChatCaller = {
    kind: "session",
    tenant: fakeUuid(802),
    id: fakeUuid(803),
    sessionToken: token,
    session: session(),
  };
  const refused = (change: Partial<ChatBody>) =>
    assertThrows(() => checkTokens(caller, body(change)), ApiError).code;
  checkTokens(caller, body({ sessionToken: token }));
  assertEquals(refused({}), "schema_validation_failed");
  assertEquals(refused({ sessionToken: token + "x" }), "schema_validation_failed");
  assertEquals(refused({ sessionToken: token, agentId: fakeUuid(6) }), "session_token_invalid");
});

Deno.test("checkTokens: with a key the tokens are optional but must be equal", () => {
  const token = "cs_0123456789abcdef";
  const check = (sessionHeader: string | undefined, sessionToken?: string) =>
    checkTokens(
      { kind: "key", tenant: fakeUuid(801), id: fakeUuid(804), sessionHeader },
      body(sessionToken === undefined ? {} : { sessionToken }),
    );
  check(undefined);
  check(undefined, token);
  check(token);
  check(token, token);
  for (const [header, inBody] of [[token, `${token}x`], ["short"], ["x".repeat(257)]] as const) {
    const error = assertThrows(() => check(header!, inBody), ApiError);
    assertEquals(error.code, "schema_validation_failed");
  }
});

/** The error of a session request with these headers, if it is rejected. */
function refusal(
  headers: Record<string, string>,
  options: { session?: Partial<Session>; origins?: string[] } = {},
): string | undefined {
  const agent = agentOf({ allowedOrigins: options.origins ?? [SHOP] });
  const req = new Request("http://127.0.0.1/", { headers });
  try {
    checkSessionOrigin(req, session(options.session), agent);
  } catch (error) {
    assert(error instanceof ApiError && error.code === "origin_not_allowed");
    return error.message;
  }
}

Deno.test("checkSessionOrigin: an origin must be the session's own and still allowed", () => {
  assertEquals(refusal({ origin: SHOP }), undefined);
  for (const origin of ["https://other.example", "https://shop.example:8443", "null"]) {
    assertEquals(refusal({ origin })?.startsWith("session token rejected"), true, origin);
  }
  assertEquals(typeof refusal({ origin: SHOP }, { origins: [] }), "string");
});

Deno.test("checkSessionOrigin: a missing origin passes unless Sec-Fetch-Site names another site", () => {
  assertEquals(refusal({}), undefined);
  for (const site of ["same-origin", "none"]) {
    assertEquals(refusal({ "sec-fetch-site": site }), undefined);
  }
  for (const site of ["cross-site", "same-site", "anything"]) {
    assertEquals(typeof refusal({ "sec-fetch-site": site }), "string", site);
  }
});

Deno.test("checkSessionOrigin: a playground session needs its own origin, not an allowed one", () => {
  const playground = { session: { playground: true }, origins: [] };
  assertEquals(refusal({ origin: SHOP }, playground), undefined);
  assertEquals(typeof refusal({ origin: "https://other.example" }, playground), "string");
  const { origin: _, ...unbound } = session({ playground: true });
  const req = new Request("http://127.0.0.1/", { headers: { origin: SHOP } });
  assertThrows(() => checkSessionOrigin(req, unbound, AGENT), ApiError);
});
