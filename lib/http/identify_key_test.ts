import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import type { ReadTransaction } from "../store/tx/read_transaction.ts";
import { Signer } from "../platform/crypto/signer.ts";
import { ApiError } from "../schemas/api_error.ts";
import { ApiKeyStore } from "../store/credentials/api_key_store.ts";
import {
  type AuthenticationContext,
  bearerKey,
  identifyKey,
  requireScope,
} from "./identify_key.ts";

function request(authorization?: string): Request {
  const headers = authorization === undefined ? {} : { authorization };
  return new Request("http://127.0.0.1/", { headers });
}

/** Keys on a store that is read directly, not through a view. */
function openKeys(kv: Deno.Kv): ApiKeyStore {
  return new ApiKeyStore(kv, { runtime: new FakeRuntime(), signer: new Signer(["secret"]) });
}

Deno.test("bearerKey: reads the Bearer key case-insensitively; another scheme is an empty key", () => {
  assertEquals(bearerKey(request()), undefined);
  assertEquals(bearerKey(request("Bearer ck_live_x")), "ck_live_x");
  assertEquals(bearerKey(request("bearer   ck_live_x ")), "ck_live_x");
  for (const header of ["Basic eDp5", "ck_live_x", "Bearer", "Bearer a b"]) {
    assertEquals(bearerKey(request(header)), "", header);
  }
});

/** What a request carries, with a meter that counts without limits. */
function stateOf(kv: Deno.Kv, apiKeys: ApiKeyStore): AuthenticationContext {
  const view = kv as unknown as ReadTransaction;
  return {
    service: { apiKeys },
    ...{ clientAddress: "203.0.113.7", rateLimiter: { countWithKey: (find) => find(view) } },
  };
}

Deno.test("identifyKey: a valid key identifies its tenant", async () => {
  using kv = await Deno.openKv(":memory:");
  const keys = openKeys(kv);
  const made = await keys.create(fakeUuid(801), { name: "k", scopes: ["billing:read"] });
  const identity = await identifyKey(request(`Bearer ${made.secret}`), stateOf(kv, keys), {
    reader: kv,
  });
  assertEquals(identity.tenant, fakeUuid(801));
});

Deno.test("identifyKey: every invalid key gives the same 401 with a challenge", async () => {
  using kv = await Deno.openKv(":memory:");
  const keys = openKeys(kv);
  const { secret } = await openKeys(kv).create(fakeUuid(801), {
    name: "k",
    scopes: ["billing:read"],
    expiresAt: "2029-01-01T00:00:00Z",
  });
  const messages = new Set<string>();
  for (const header of [undefined, "Bearer x", "Basic eDp5", `Bearer ${secret}`]) {
    const error = await assertRejects(
      () => identifyKey(request(header), stateOf(kv, keys), { reader: kv }),
      ApiError,
    );
    assertEquals([error.code, error.status], ["invalid_api_key", 401]);
    assertEquals(error.headers["www-authenticate"]?.startsWith("Bearer"), true);
    messages.add(error.message);
  }
  assertEquals(messages.size, 1);
});

Deno.test("requireScope: a key without the scope is 403 with the scope's name", async () => {
  using kv = await Deno.openKv(":memory:");
  const keys = openKeys(kv);
  const { secret } = await keys.create(fakeUuid(801), { name: "k", scopes: ["agents:write"] });
  const req = request(`Bearer ${secret}`);
  assertEquals((await requireScope(req, stateOf(kv, keys), "agents:read")).tenant, fakeUuid(801));
  const error = await assertRejects(
    () => requireScope(req, stateOf(kv, keys), "widget:mint"),
    ApiError,
  );
  assertEquals([error.code, error.details?.scope], ["insufficient_scope", "widget:mint"]);
});
