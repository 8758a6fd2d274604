import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { Signer } from "../platform/crypto/signer.ts";
import { AccountSecurityStore } from "../store/users/account_security_store.ts";
import { SignInFailureStore } from "../store/users/sign_in_failure_store.ts";
import { type Runtime, systemRuntime } from "../platform/runtime.ts";
import { InstallationSetup } from "./installation_setup.ts";
import { OwnSessions } from "./own_sessions.ts";
import { SignInService } from "./sign_in_service.ts";
import { KnownBrowserTokens } from "./known_browser_tokens.ts";
import { PasswordGate } from "./password_gate.ts";
import { PasswordHasher, type ScryptCost } from "../platform/crypto/password_hasher.ts";

const TOKEN = "a-setup-token-of-the-operator";
const OWNER = { email: "Owner@Example.com", password: "correct horse battery" };
const HERE = { from: { address: "192.0.2.7" } };
const CHEAP = { N: 2 ** 10, r: 8, p: 1 };

interface Fixture {
  kv: Deno.Kv;
  signIn: SignInService;
  own: OwnSessions;
  setup: InstallationSetup;
  clock: { ms: number };
}

interface FixtureOptions {
  setupToken?: string | undefined;
  cost?: ScryptCost;
  hasher?: PasswordHasher;
}

function openSignIn(
  kv: Deno.Kv,
  runtime: Runtime,
  { setupToken, cost = CHEAP, hasher }: FixtureOptions,
): { signIn: SignInService; own: OwnSessions; setup: InstallationSetup } {
  const deps = {
    runtime,
    hasher: hasher ?? new PasswordHasher({ ...runtime, cost }),
    gate: new PasswordGate({ failures: new SignInFailureStore(kv, runtime), runtime }),
    log: { info: () => {} },
    ...{ security: new AccountSecurityStore(kv, runtime), operatorsNeedFactor: false },
    browsers: new KnownBrowserTokens(new Signer(["a secret that signs"]), runtime),
  };
  const signIn = new SignInService(kv, deps);
  const own = new OwnSessions(kv, { runtime, signIn });
  return { signIn, own, setup: new InstallationSetup(kv, { ...deps, setupToken, signIn }) };
}

/** Accounts on an empty store with a clock that only the test moves. */
async function withSignIn(
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
  await run({ kv, clock, ...openSignIn(kv, runtime, options) });
}

async function setUp(setup: InstallationSetup): Promise<string> {
  const result = await setup.complete({ token: TOKEN, ...OWNER, ...HERE });
  assert("cookieToken" in result);
  return result.cookieToken;
}

Deno.test("set-up makes an owner who operates the default tenant and is signed in", async () => {
  await withSignIn(async ({ signIn, setup }) => {
    assertEquals(await setup.isNeeded(), true);
    const user = await signIn.authenticate(await setUp(setup));
    assertEquals(await setup.isNeeded(), false);
    assertEquals(user?.email, "owner@example.com");
    assertEquals([user?.role, user?.operator], ["owner", true]);
  });
});

Deno.test("two racing set-ups make one owner", async () => {
  await withSignIn(async ({ kv, setup }) => {
    const results = await Promise.all(
      ["one@example.com", "two@example.com"].map((email) =>
        setup.complete({ token: TOKEN, email, password: OWNER.password, ...HERE })
      ),
    );
    const outcomes = results.map((r) => "rejected" in r ? r.rejected : "owner").sort();
    assertEquals(outcomes, ["already_set_up", "owner"]);
    const users = await Array.fromAsync(kv.list({ prefix: ["users"] }));
    assertEquals(users.length, 1);
  });
});

Deno.test("set-up rejects a wrong token and the eleventh attempt within a minute", async () => {
  await withSignIn(async ({ clock, setup }) => {
    for (let n = 0; n < 10; n++) {
      const result = await setup.complete({ token: `guess ${n}`, ...OWNER, ...HERE });
      assertEquals(result, { rejected: "wrong_token" });
    }
    const eleventh = await setup.complete({ token: TOKEN, ...OWNER, ...HERE });
    assertEquals(eleventh, { rejected: "too_many_tries", retryAfterMs: 60_000 });
    clock.ms += 60_000;
    await setUp(setup);
  });
});

Deno.test("set-up names the invalid fields", async () => {
  await withSignIn(async ({ setup }) => {
    const input = { token: TOKEN, email: "nobody", password: "short", ...HERE };
    const result = await setup.complete(input);
    assert("rejected" in result && result.rejected === "invalid");
    assertEquals(Object.keys(result.issues), ["email", "password"]);
  });
});

Deno.test("each start before set-up prints a usable token, and none afterwards", async () => {
  await withSignIn(async ({ kv, setup }) => {
    const first = await setup.ensureToken();
    const { setup: restarted } = openSignIn(kv, systemRuntime, {});
    const second = await restarted.ensureToken();
    assert(first !== undefined && second !== undefined);
    assertNotEquals(first, second);
    assert(!JSON.stringify(await Array.fromAsync(kv.list({ prefix: [] }))).includes(second));
    const stale = await restarted.complete({ token: first, ...OWNER, ...HERE });
    assertEquals(stale, { rejected: "wrong_token" });
    assert("cookieToken" in await restarted.complete({ token: second, ...OWNER, ...HERE }));
    assertEquals(await restarted.ensureToken(), undefined);
    const again = await restarted.complete({ token: second, ...OWNER, ...HERE });
    assertEquals(again, { rejected: "already_set_up" });
  }, {});
});

Deno.test("sign-in accepts the address in any case and gives a new token each time", async () => {
  await withSignIn(async ({ signIn, setup }) => {
    const first = await setUp(setup);
    const result = await signIn.signIn({ ...OWNER, email: "OWNER@example.com", ...HERE });
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
  await withSignIn(async ({ signIn, setup }) => {
    await setUp(setup);
    const wrong = await signIn.signIn({ ...OWNER, password: "not the password", ...HERE });
    const unknown = await signIn.signIn({ ...OWNER, email: "who@example.com", ...HERE });
    assertEquals(wrong, { rejected: "wrong_credentials" });
    assertEquals(unknown, wrong);
    assertEquals(hashes, 2);
  }, { setupToken: TOKEN, hasher });
});

Deno.test("five failures lock the account for their address only, for fifteen minutes", async () => {
  await withSignIn(async ({ signIn, clock, setup }) => {
    await setUp(setup);
    const guess = { email: OWNER.email, password: "a wrong password" };
    const address = "2001:db8:1:2::a";
    for (let n = 0; n < 5; n++) {
      const result = await signIn.signIn({ ...guess, from: { address } });
      assertEquals(result, { rejected: "wrong_credentials" });
    }
    const locked = await signIn.signIn({ ...OWNER, from: { address: "2001:db8:1:2:ffff::b" } });
    assertEquals(locked, { rejected: "too_many_tries", retryAfterMs: 15 * 60_000 });
    assert(
      "cookieToken" in await signIn.signIn({ ...OWNER, from: { address: "2001:db8:1:3::a" } }),
    );
    clock.ms += 15 * 60_000;
    assert("cookieToken" in await signIn.signIn({ ...OWNER, from: { address } }));
  });
});

Deno.test("concurrent attempts do not bypass the lockout", async () => {
  await withSignIn(async ({ signIn, setup }) => {
    await setUp(setup);
    const guess = { email: OWNER.email, password: "a wrong password", ...HERE };
    const results = await Promise.all(Array.from({ length: 12 }, () => signIn.signIn(guess)));
    const looked = results.filter((r) => "rejected" in r && r.rejected === "wrong_credentials");
    assertEquals(looked.length, 5);
  });
});

Deno.test("a success clears earlier failures", async () => {
  await withSignIn(async ({ signIn, setup }) => {
    await setUp(setup);
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 4; n++) {
        await signIn.signIn({ ...OWNER, password: "a wrong password", ...HERE });
      }
      assert("cookieToken" in await signIn.signIn({ ...OWNER, ...HERE }));
    }
  });
});

Deno.test("a sign-in rejected by a full queue does not count and writes nothing", async () => {
  await withSignIn(async ({ kv, signIn, setup }) => {
    await setUp(setup);
    const same = () => signIn.signIn({ ...OWNER, ...HERE });
    const crowd = await Promise.all(Array.from({ length: 30 }, same));
    const busy = crowd.filter((r) => "rejected" in r && r.rejected === "busy");
    assert(busy.length > 0 && busy.length < 30, `${busy.length}`);
    assertEquals(await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] })), []);
    for (let n = 0; n < 5; n++) assert("cookieToken" in await same());
  });
});

Deno.test("wrong passwords for many accounts from one address are rejected before any read", async () => {
  await withSignIn(async ({ kv, signIn, clock, setup }) => {
    await setUp(setup);
    const guess = (n: number, address = HERE.from.address) =>
      signIn.signIn({
        email: `x${n}@example.com`,
        password: "a wrong password",
        from: { address },
      });
    for (let n = 0; n < 30; n++) assertEquals(await guess(n), { rejected: "wrong_credentials" });
    const rows = await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] }));
    const rejected = { rejected: "too_many_tries" as const, retryAfterMs: 15 * 60_000 };
    for (let n = 30; n < 40; n++) assertEquals(await guess(n), rejected);
    assertEquals(await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] })), rows);
    assert("cookieToken" in await signIn.signIn({ ...OWNER, from: { address: "192.0.2.8" } }));
    clock.ms += 15 * 60_000;
    assertEquals(await guess(40), { rejected: "wrong_credentials" });
  });
});

Deno.test("many people can sign in from one address, some after a typo", async () => {
  await withSignIn(async ({ signIn, setup }) => {
    await setUp(setup);
    for (let n = 0; n < 100; n++) {
      if (n % 4 === 0) await signIn.signIn({ ...OWNER, password: "a typing error", ...HERE });
      assert("cookieToken" in await signIn.signIn({ ...OWNER, ...HERE }), `${n}`);
    }
  });
});

Deno.test("a known browser can sign in from a rejected address", async () => {
  await withSignIn(async ({ signIn, setup }) => {
    await setUp(setup);
    const before = await signIn.signIn({ ...OWNER, ...HERE });
    assert("cookieToken" in before);
    for (let n = 0; n < 31; n++) {
      await signIn.signIn({ email: `x${n}@example.com`, password: "wrong wrong", ...HERE });
    }
    const { browserToken } = before;
    const stranger = await signIn.signIn({ ...OWNER, ...HERE });
    assertEquals("rejected" in stranger && stranger.rejected, "too_many_tries");
    assert(
      "cookieToken" in await signIn.signIn({ ...OWNER, from: { ...HERE.from, browserToken } }),
    );
    // The mark is for its own account only.
    const other = {
      email: "x@example.com",
      password: "wrong wrong",
      from: { ...HERE.from, browserToken },
    };
    const result = await signIn.signIn(other);
    assertEquals("rejected" in result && result.rejected, "too_many_tries");
  });
});

Deno.test("a known browser has five failed attempts, then counts as unknown", async () => {
  await withSignIn(async ({ signIn, setup }) => {
    await setUp(setup);
    const started = await signIn.signIn({ ...OWNER, ...HERE });
    assert("browserToken" in started);
    const { browserToken } = started;
    const guess = { ...OWNER, password: "a wrong password", from: { ...HERE.from, browserToken } };
    const outcomes: string[] = [];
    for (let n = 0; n < 11; n++) {
      const result = await signIn.signIn(guess);
      outcomes.push("rejected" in result ? result.rejected : "in");
    }
    assertEquals(outcomes, [...new Array(10).fill("wrong_credentials"), "too_many_tries"]);
  });
});

Deno.test("a stolen cookie has five password attempts, from any address", async () => {
  await withSignIn(async ({ signIn, own, clock, setup }) => {
    const cookieToken = await setUp(setup);
    const user = (await signIn.authenticate(cookieToken))!;
    const outcomes: (string | undefined)[] = [];
    for (let n = 0; n < 6; n++) {
      const input = { password: "a wrong password", address: `192.0.2.${n}` };
      outcomes.push((await signIn.checkPassword(user, input))?.rejected);
    }
    assertEquals(outcomes, [...new Array(5).fill("wrong_password"), "too_many_tries"]);
    const replaced = await own.signOutElsewhere(user, { cookieToken });
    const same = (await signIn.authenticate(replaced!))!;
    const right = { password: OWNER.password, address: HERE.from.address };
    assertEquals((await signIn.checkPassword(same, right))?.rejected, "too_many_tries");
    clock.ms += 1;
    const elsewhere = await signIn.signIn({ ...OWNER, ...HERE });
    assert("cookieToken" in elsewhere);
    const other = (await signIn.authenticate(elsewhere.cookieToken))!;
    assertEquals(await signIn.checkPassword(other, right), undefined);
  });
});

Deno.test("a sign-in upgrades a hash of lower cost and keeps other sign-ins", async () => {
  using kv = await Deno.openKv(":memory:");
  const earlier = openSignIn(kv, systemRuntime, { setupToken: TOKEN });
  const cookie = await setUp(earlier.setup);
  const hashOf = async () => {
    const [user] = await Array.fromAsync(kv.list<{ passwordHash: string }>({ prefix: ["users"] }));
    return user!.value.passwordHash;
  };
  assertMatch(await hashOf(), /^scrypt\$1024\$8\$1\$/);
  const { signIn: now } = openSignIn(kv, systemRuntime, { cost: { N: 2 ** 10, r: 8, p: 3 } });
  const wrong = await now.signIn({ ...OWNER, password: "a wrong password", ...HERE });
  assertEquals(wrong, { rejected: "wrong_credentials" });
  assertMatch(await hashOf(), /^scrypt\$1024\$8\$1\$/);
  assert("cookieToken" in await now.signIn({ ...OWNER, ...HERE }));
  const raised = await hashOf();
  assertMatch(raised, /^scrypt\$1024\$8\$3\$/);
  assert("cookieToken" in await now.signIn({ ...OWNER, ...HERE }));
  assertEquals(await hashOf(), raised);
  assert(await now.authenticate(cookie));
});

Deno.test("signing out elsewhere keeps the age of the sign-in and of its password check", async () => {
  await withSignIn(async ({ signIn, own, clock, setup }) => {
    let cookie: string | undefined = await setUp(setup);
    let user = (await signIn.authenticate(cookie))!;
    const { provenAt } = user;
    const day = 86_400_000;
    for (let days = 0; days < 6.8; days += 0.4) {
      clock.ms += 0.4 * day;
      cookie = await own.signOutElsewhere(user, { cookieToken: cookie });
      assert(cookie !== undefined, `day ${days}`);
      user = (await signIn.authenticate(cookie))!;
      assertEquals(user.provenAt, provenAt);
    }
    clock.ms = user.provenAt + 7 * day - 60_000;
    assert(await signIn.authenticate(cookie));
    clock.ms = user.provenAt + 7 * day;
    assertEquals(await signIn.authenticate(cookie), undefined);
    assertEquals(await signIn.endReason(cookie), "too_old");
  });
});

Deno.test("a request that began before the sign-ins ended starts none", async () => {
  await withSignIn(async ({ signIn, own, setup }) => {
    const cookie = await setUp(setup);
    const stale = (await signIn.authenticate(cookie))!;
    const changed = await own.changePassword(stale, "another long password");
    assert("cookieToken" in changed);
    assertEquals(await own.signOutElsewhere(stale, { cookieToken: cookie }), undefined);
    const again = await own.changePassword(stale, "a third long password");
    assertEquals(again, { rejected: "gone" });
    assert(await signIn.authenticate(changed.cookieToken), "whose sign-in is left alone");
  });
});

Deno.test("a sign-in slides for twelve hours after each use, then ends", async () => {
  await withSignIn(async ({ signIn, clock, setup }) => {
    const cookie = await setUp(setup);
    const hour = 3_600_000;
    for (let n = 0; n < 4; n++) {
      clock.ms += 11 * hour;
      assert(await signIn.authenticate(cookie));
    }
    clock.ms += 12 * hour;
    assertEquals(await signIn.authenticate(cookie), undefined);
  });
});

Deno.test("sign-out ends the sign-in, and the cookie itself is never stored", async () => {
  await withSignIn(async ({ kv, signIn, setup }) => {
    const cookie = await setUp(setup);
    const stored = await Array.fromAsync(kv.list({ prefix: [] }));
    assert(!JSON.stringify(stored).includes(cookie));
    await signIn.signOut(cookie, HERE.from);
    assertEquals(await signIn.authenticate(cookie), undefined);
    assertEquals(await signIn.authenticate("made up"), undefined);
  });
});
