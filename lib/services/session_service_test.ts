import { assertEquals, assertRejects } from "@std/assert";
import { agentOf } from "@/tests/support/agents.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { ApiError } from "../schemas/api_error.ts";
import { SessionStore } from "../store/credentials/session_store.ts";
import { SessionService } from "./session_service.ts";

const TENANT = fakeUuid(801);
const SHOP = "https://shop.example";
const AGENT = agentOf({ allowedOrigins: [SHOP] });

function open(kv: Deno.Kv) {
  const runtime = new FakeRuntime();
  return { runtime, sessions: new SessionService(new SessionStore(kv, runtime), { runtime }) };
}

async function refusal(call: () => Promise<unknown>): Promise<ApiError> {
  return await assertRejects(call, ApiError);
}

Deno.test("SessionService: an origin must match an allowed one exactly", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  const { sessionToken } = await sessions.mintForOrigin(TENANT, AGENT, SHOP);
  assertEquals((await sessions.require({ token: sessionToken })).origin, SHOP);
  for (const origin of ["https://other.example", `${SHOP}/`, `${SHOP}:443`, "null", ""]) {
    const { code } = await refusal(() => sessions.mintForOrigin(TENANT, AGENT, origin));
    assertEquals(code, "origin_not_allowed", origin);
  }
});

Deno.test("SessionService: an agent without allowedOrigins cannot be embedded", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  for (const agent of [agentOf(), agentOf({ allowedOrigins: [] })]) {
    const { code } = await refusal(() => sessions.mintForOrigin(TENANT, agent, SHOP));
    assertEquals(code, "origin_not_allowed");
  }
});

Deno.test("SessionService: the playground needs no allowed origin", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  const { sessionToken } = await sessions.mintForPlayground(TENANT, agentOf(), undefined);
  const session = await sessions.require({ token: sessionToken });
  assertEquals([session.playground, "origin" in session], [true, false]);
});

Deno.test("SessionService: unknown, expired and revoked tokens get the same answer", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions, runtime } = open(kv);
  const mint = async () => (await sessions.mintForOrigin(TENANT, AGENT, SHOP)).sessionToken;
  const [expired, revoked] = [await mint(), await mint()];
  await sessions.revoke(TENANT, revoked);
  await runtime.advance(15 * 60_000);
  const errors = await Promise.all(
    ["cs_unknown", expired, revoked].map((token) => refusal(() => sessions.require({ token }))),
  );
  assertEquals(new Set(errors.map((error) => `${error.code} ${error.message}`)).size, 1);
  assertEquals(errors[0]?.status, 401);
});

Deno.test("SessionService: a tenant revokes its own sessions only", async () => {
  using kv = await Deno.openKv(":memory:");
  const { sessions } = open(kv);
  const { sessionToken } = await sessions.mintForOrigin(TENANT, AGENT, SHOP);
  const stranger = () => sessions.revoke(fakeUuid(802), sessionToken);
  assertEquals((await refusal(stranger)).code, "not_found");
  await sessions.revoke(TENANT, sessionToken);
  assertEquals((await refusal(() => sessions.revoke(TENANT, sessionToken))).code, "not_found");
});
