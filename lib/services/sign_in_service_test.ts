import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { Signer } from "../platform/crypto/hashing.ts";
import { SignInFailureStore } from "../store/users/sign_in_failure_store.ts";
import { type Runtime, systemRuntime } from "../platform/runtime.ts";
import { SignInService } from "./sign_in_service.ts";
import { KnownBrowserTokens } from "./known_browser_tokens.ts";
import { PasswordGate } from "./password_gate.ts";
import { PasswordHasher, type ScryptCost } from "../platform/crypto/password_hasher.ts";

const TOKEN = "a-setup-token-of-the-operator";
const OWNER = { email: "Owner@Example.com", password: "correct horse battery" };
const HERE = { address: "192.0.2.7" };
const CHEAP = { N: 2 ** 10, r: 8, p: 1 };

interface Fixture {
  kv: Deno.Kv;
  accounts: SignInService;
  clock: { ms: number };
}

interface FixtureOptions {
  setupToken?: string | undefined;
  cost?: ScryptCost;
  hasher?: PasswordHasher;
}

function openAccounts(
  kv: Deno.Kv,
  runtime: Runtime,
  { setupToken, cost = CHEAP, hasher }: FixtureOptions,
): SignInService {
  return new SignInService(kv, {
    ...{ runtime, setupToken },
    hasher: hasher ?? new PasswordHasher({ ...runtime, cost }),
    gate: new PasswordGate({ failures: new SignInFailureStore(kv, runtime), runtime }),
    log: { info: () => {} },
    browsers: new KnownBrowserTokens(new Signer(["a secret that signs"]), runtime),
  });
}

/** Accounts on an empty store with a clock that only the test moves. */
async function withAccounts(
  run: (fixture: Fixture) => Promise<void>,
  options: FixtureOptions = { setupToken: TOKEN },
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const runtime: Runtime = {
    ...systemRuntime,
    now: () => clock.ms,
    sleep: () => Promise.resolve(),
  };
  await run({ kv, clock, accounts: openAccounts(kv, runtime, options) });
}

async function setUp(accounts: SignInService): Promise<string> {
  const result = await accounts.setUp({ token: TOKEN, ...OWNER, ...HERE });
  assert("cookieToken" in result);
  return result.cookieToken;
}

Deno.test("set-up makes an owner who operates the default tenant and is signed in", async () => {
  await withAccounts(async ({ accounts }) => {
    assertEquals(await accounts.needsSetup(), true);
    const user = await accounts.authenticate(await setUp(accounts));
    assertEquals(await accounts.needsSetup(), false);
    assertEquals(user?.email, "owner@example.com");
    assertEquals([user?.role, user?.operator], ["owner", true]);
  });
});

Deno.test("two racing set-ups make one owner", async () => {
  await withAccounts(async ({ kv, accounts }) => {
    const results = await Promise.all(
      ["one@example.com", "two@example.com"].map((email) =>
        accounts.setUp({ token: TOKEN, email, password: OWNER.password, ...HERE })
      ),
    );
    const outcomes = results.map((r) => "refused" in r ? r.refused : "owner").sort();
    assertEquals(outcomes, ["already_set_up", "owner"]);
    const users = await Array.fromAsync(kv.list({ prefix: ["users"] }));
    assertEquals(users.length, 1);
  });
});

Deno.test("set-up rejects a wrong token and the eleventh attempt within a minute", async () => {
  await withAccounts(async ({ accounts, clock }) => {
    for (let n = 0; n < 10; n++) {
      const result = await accounts.setUp({ token: `guess ${n}`, ...OWNER, ...HERE });
      assertEquals(result, { refused: "wrong_token" });
    }
    const eleventh = await accounts.setUp({ token: TOKEN, ...OWNER, ...HERE });
    assertEquals(eleventh, { refused: "too_many_tries", retryAfterMs: 60_000 });
    clock.ms += 60_000;
    await setUp(accounts);
  });
});

Deno.test("set-up names the invalid fields", async () => {
  await withAccounts(async ({ accounts }) => {
    const input = { token: TOKEN, email: "nobody", password: "short", ...HERE };
    const result = await accounts.setUp(input);
    assert("refused" in result && result.refused === "invalid");
    assertEquals(Object.keys(result.issues), ["email", "password"]);
  });
});

Deno.test("each start before set-up prints a usable token, and none afterwards", async () => {
  await withAccounts(async ({ kv, accounts }) => {
    const first = await accounts.ensureSetupToken();
    const restarted = openAccounts(kv, systemRuntime, {});
    const second = await restarted.ensureSetupToken();
    assert(first !== undefined && second !== undefined);
    assertNotEquals(first, second);
    assert(!JSON.stringify(await Array.fromAsync(kv.list({ prefix: [] }))).includes(second));
    const stale = await restarted.setUp({ token: first, ...OWNER, ...HERE });
    assertEquals(stale, { refused: "wrong_token" });
    assert("cookieToken" in await restarted.setUp({ token: second, ...OWNER, ...HERE }));
    assertEquals(await restarted.ensureSetupToken(), undefined);
    const again = await restarted.setUp({ token: second, ...OWNER, ...HERE });
    assertEquals(again, { refused: "already_set_up" });
  }, {});
});

Deno.test("sign-in accepts the address in any case and gives a new token each time", async () => {
  await withAccounts(async ({ accounts }) => {
    const first = await setUp(accounts);
    const result = await accounts.signIn({ ...OWNER, email: "OWNER@example.com", ...HERE });
    assert("cookieToken" in result);
    assertNotEquals(result.cookieToken, first);
  });
});

Deno.test("an unknown account and a wrong password get the same answer and the same work", async () => {
  let hashes = 0;
  const hasher = new class extends PasswordHasher {
    override verify(password: string, stored: string | undefined): Promise<boolean> {
      hashes++;
      return super.verify(password, stored);
    }
  }({ ...systemRuntime, cost: CHEAP });
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    const wrong = await accounts.signIn({ ...OWNER, password: "not the password", ...HERE });
    const unknown = await accounts.signIn({ ...OWNER, email: "who@example.com", ...HERE });
    assertEquals(wrong, { refused: "wrong_credentials" });
    assertEquals(unknown, wrong);
    assertEquals(hashes, 2);
  }, { setupToken: TOKEN, hasher });
});

Deno.test("five failures lock the account for their address only, for fifteen minutes", async () => {
  await withAccounts(async ({ accounts, clock }) => {
    await setUp(accounts);
    const guess = { email: OWNER.email, password: "a wrong password" };
    const address = "2001:db8:1:2::a";
    for (let n = 0; n < 5; n++) {
      const result = await accounts.signIn({ ...guess, address });
      assertEquals(result, { refused: "wrong_credentials" });
    }
    const locked = await accounts.signIn({ ...OWNER, address: "2001:db8:1:2:ffff::b" });
    assertEquals(locked, { refused: "too_many_tries", retryAfterMs: 15 * 60_000 });
    assert("cookieToken" in await accounts.signIn({ ...OWNER, address: "2001:db8:1:3::a" }));
    clock.ms += 15 * 60_000;
    assert("cookieToken" in await accounts.signIn({ ...OWNER, address }));
  });
});

Deno.test("concurrent attempts do not bypass the lockout", async () => {
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    const guess = { email: OWNER.email, password: "a wrong password", ...HERE };
    const results = await Promise.all(Array.from({ length: 12 }, () => accounts.signIn(guess)));
    const looked = results.filter((r) => "refused" in r && r.refused === "wrong_credentials");
    assertEquals(looked.length, 5);
  });
});

Deno.test("a success clears earlier failures", async () => {
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 4; n++) {
        await accounts.signIn({ ...OWNER, password: "a wrong password", ...HERE });
      }
      assert("cookieToken" in await accounts.signIn({ ...OWNER, ...HERE }));
    }
  });
});

Deno.test("a sign-in rejected by a full queue does not count and writes nothing", async () => {
  await withAccounts(async ({ kv, accounts }) => {
    await setUp(accounts);
    const same = () => accounts.signIn({ ...OWNER, ...HERE });
    const crowd = await Promise.all(Array.from({ length: 30 }, same));
    const busy = crowd.filter((r) => "refused" in r && r.refused === "busy");
    assert(busy.length > 0 && busy.length < 30, `${busy.length}`);
    assertEquals(await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] })), []);
    for (let n = 0; n < 5; n++) assert("cookieToken" in await same());
  });
});

Deno.test("wrong passwords for many accounts from one address are rejected before any read", async () => {
  await withAccounts(async ({ kv, accounts, clock }) => {
    await setUp(accounts);
    const guess = (n: number, address = HERE.address) =>
      accounts.signIn({ email: `x${n}@example.com`, password: "a wrong password", address });
    for (let n = 0; n < 30; n++) assertEquals(await guess(n), { refused: "wrong_credentials" });
    const rows = await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] }));
    const refused = { refused: "too_many_tries" as const, retryAfterMs: 15 * 60_000 };
    for (let n = 30; n < 40; n++) assertEquals(await guess(n), refused);
    assertEquals(await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] })), rows);
    assert("cookieToken" in await accounts.signIn({ ...OWNER, address: "192.0.2.8" }));
    clock.ms += 15 * 60_000;
    assertEquals(await guess(40), { refused: "wrong_credentials" });
  });
});

Deno.test("many people can sign in from one address, some after a typo", async () => {
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    for (let n = 0; n < 100; n++) {
      if (n % 4 === 0) await accounts.signIn({ ...OWNER, password: "a typing error", ...HERE });
      assert("cookieToken" in await accounts.signIn({ ...OWNER, ...HERE }), `${n}`);
    }
  });
});

Deno.test("a known browser can sign in from a rejected address", async () => {
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    const before = await accounts.signIn({ ...OWNER, ...HERE });
    assert("cookieToken" in before);
    for (let n = 0; n < 31; n++) {
      await accounts.signIn({ email: `x${n}@example.com`, password: "wrong wrong", ...HERE });
    }
    const { browserToken } = before;
    const stranger = await accounts.signIn({ ...OWNER, ...HERE });
    assertEquals("refused" in stranger && stranger.refused, "too_many_tries");
    assert("cookieToken" in await accounts.signIn({ ...OWNER, ...HERE, browserToken }));
    // The mark is for its own account only.
    const other = { email: "x@example.com", password: "wrong wrong", ...HERE, browserToken };
    const result = await accounts.signIn(other);
    assertEquals("refused" in result && result.refused, "too_many_tries");
  });
});

Deno.test("a known browser has five failed attempts, then counts as unknown", async () => {
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    const started = await accounts.signIn({ ...OWNER, ...HERE });
    assert("browserToken" in started);
    const { browserToken } = started;
    const guess = { ...OWNER, password: "a wrong password", ...HERE, browserToken };
    const outcomes: string[] = [];
    for (let n = 0; n < 11; n++) {
      const result = await accounts.signIn(guess);
      outcomes.push("refused" in result ? result.refused : "in");
    }
    assertEquals(outcomes, [...new Array(10).fill("wrong_credentials"), "too_many_tries"]);
  });
});

Deno.test("a stolen cookie has five password attempts, from any address", async () => {
  await withAccounts(async ({ accounts }) => {
    const cookieToken = await setUp(accounts);
    const user = (await accounts.authenticate(cookieToken))!;
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < 6; n++) {
      const input = { cookieToken, password: "a wrong password", address: `192.0.2.${n}` };
      outcomes.push((await accounts.reauthenticate(user, input))?.refused);
    }
    assertEquals(outcomes, [...new Array(5).fill("wrong_password"), "too_many_tries"]);
    const elsewhere = await accounts.signIn({ ...OWNER, ...HERE });
    assert("cookieToken" in elsewhere);
    const right = { cookieToken: elsewhere.cookieToken, password: OWNER.password, ...HERE };
    assertEquals(await accounts.reauthenticate(user, right), undefined);
  });
});

Deno.test("a sign-in upgrades a hash of lower cost and keeps other sign-ins", async () => {
  using kv = await Deno.openKv(":memory:");
  const earlier = openAccounts(kv, systemRuntime, { setupToken: TOKEN });
  const cookie = await setUp(earlier);
  const hashOf = async () => {
    const [user] = await Array.fromAsync(kv.list<{ passwordHash: string }>({ prefix: ["users"] }));
    return user!.value.passwordHash;
  };
  assertMatch(await hashOf(), /^scrypt\$1024\$8\$1\$/);
  const now = openAccounts(kv, systemRuntime, { cost: { N: 2 ** 10, r: 8, p: 3 } });
  const wrong = await now.signIn({ ...OWNER, password: "a wrong password", ...HERE });
  assertEquals(wrong, { refused: "wrong_credentials" });
  assertMatch(await hashOf(), /^scrypt\$1024\$8\$1\$/);
  assert("cookieToken" in await now.signIn({ ...OWNER, ...HERE }));
  const raised = await hashOf();
  assertMatch(raised, /^scrypt\$1024\$8\$3\$/);
  assert("cookieToken" in await now.signIn({ ...OWNER, ...HERE }));
  assertEquals(await hashOf(), raised);
  assert(await now.authenticate(cookie));
});

Deno.test("signing out elsewhere keeps the age of the sign-in and of its password check", async () => {
  await withAccounts(async ({ accounts, clock }) => {
    let cookie: string | undefined = await setUp(accounts);
    const user = (await accounts.authenticate(cookie))!;
    const day = 86_400_000;
    for (let days = 0; days < 6.8; days += 0.4) {
      clock.ms += 0.4 * day;
      cookie = await accounts.signOutElsewhere(user, { cookieToken: cookie });
      assert(cookie !== undefined, `day ${days}`);
      assertEquals((await accounts.authenticate(cookie))?.provenAt, user.provenAt);
    }
    clock.ms = user.provenAt + 7 * day - 60_000;
    assert(await accounts.authenticate(cookie));
    clock.ms = user.provenAt + 7 * day;
    assertEquals(await accounts.authenticate(cookie), undefined);
    assertEquals(await accounts.endReason(cookie), "too_old");
  });
});

Deno.test("a sign-in slides for twelve hours after each use, then ends", async () => {
  await withAccounts(async ({ accounts, clock }) => {
    const cookie = await setUp(accounts);
    const hour = 3_600_000;
    for (let n = 0; n < 4; n++) {
      clock.ms += 11 * hour;
      assert(await accounts.authenticate(cookie));
    }
    clock.ms += 12 * hour;
    assertEquals(await accounts.authenticate(cookie), undefined);
  });
});

Deno.test("sign-out ends the sign-in, and the cookie itself is never stored", async () => {
  await withAccounts(async ({ kv, accounts }) => {
    const cookie = await setUp(accounts);
    const stored = await Array.fromAsync(kv.list({ prefix: [] }));
    assert(!JSON.stringify(stored).includes(cookie));
    await accounts.signOut(cookie, HERE);
    assertEquals(await accounts.authenticate(cookie), undefined);
    assertEquals(await accounts.authenticate("made up"), undefined);
  });
});
