import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { realSystem, type System } from "../system.ts";
import { Accounts } from "./accounts.ts";
import { PasswordHasher } from "./password_hasher.ts";

const TOKEN = "a-setup-token-of-the-operator";
const OWNER = { email: "Owner@Example.com", password: "correct horse battery" };
const HERE = { address: "192.0.2.7" };

interface Fixture {
  kv: Deno.Kv;
  accounts: Accounts;
  clock: { ms: number };
}

/** Accounts on an empty store with a clock that only the test moves. */
async function withAccounts(
  run: (fixture: Fixture) => Promise<void>,
  options: { setupToken?: string | undefined; hasher?: PasswordHasher } = { setupToken: TOKEN },
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const system: System = { ...realSystem, now: () => clock.ms };
  await run({ kv, clock, accounts: new Accounts(kv, { system, ...options }) });
}

async function setUp(accounts: Accounts): Promise<string> {
  const result = await accounts.setUp({ token: TOKEN, ...OWNER, ...HERE });
  assert("cookieToken" in result);
  return result.cookieToken;
}

Deno.test("set-up makes an owner who operates the default tenant and is signed in", async () => {
  await withAccounts(async ({ accounts }) => {
    assertEquals(await accounts.needsSetup(), true);
    const user = await accounts.signedIn(await setUp(accounts));
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

Deno.test("set-up refuses a wrong token, and the eleventh try within a minute", async () => {
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

Deno.test("set-up names the fields at fault", async () => {
  await withAccounts(async ({ accounts }) => {
    const input = { token: TOKEN, email: "nobody", password: "short", ...HERE };
    const result = await accounts.setUp(input);
    assert("refused" in result && result.refused === "invalid");
    assertEquals(Object.keys(result.faults), ["email", "password"]);
  });
});

Deno.test("each start before set-up prints a usable token, and none afterwards", async () => {
  await withAccounts(async ({ kv, accounts }) => {
    const first = await accounts.ensureSetupToken();
    const restarted = new Accounts(kv, { system: realSystem });
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
  }(realSystem);
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

Deno.test("tries sent at once do not slip past the lockout", async () => {
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    const guess = { email: OWNER.email, password: "a wrong password", ...HERE };
    const results = await Promise.all(Array.from({ length: 12 }, () => accounts.signIn(guess)));
    const looked = results.filter((r) => "refused" in r && r.refused === "wrong_credentials");
    assertEquals(looked.length, 5);
  });
});

Deno.test("a success forgets the failures before it", async () => {
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

Deno.test("a sign-in that found no free slot costs no try", async () => {
  const hasher = new PasswordHasher({ ...realSystem, atOnce: 1, waiting: 0 });
  await withAccounts(async ({ accounts }) => {
    await setUp(accounts);
    const at = (n: number) => accounts.signIn({ ...OWNER, address: `192.0.2.${n}` });
    const crowd = await Promise.all(Array.from({ length: 8 }, (_, n) => at(n)));
    assert(crowd.some((r) => "refused" in r && r.refused === "busy"));
    const same = () => accounts.signIn({ ...OWNER, ...HERE });
    const results = await Promise.all(Array.from({ length: 5 }, same));
    assert(results.some((r) => "refused" in r && r.refused === "busy"));
    assert("cookieToken" in await same());
  }, { setupToken: TOKEN, hasher });
});

Deno.test("a sign-in slides for twelve hours after each use, then ends", async () => {
  await withAccounts(async ({ accounts, clock }) => {
    const cookie = await setUp(accounts);
    const hour = 3_600_000;
    for (let n = 0; n < 4; n++) {
      clock.ms += 11 * hour;
      assert(await accounts.signedIn(cookie));
    }
    clock.ms += 12 * hour;
    assertEquals(await accounts.signedIn(cookie), undefined);
  });
});

Deno.test("sign-out ends the sign-in, and the cookie itself is never stored", async () => {
  await withAccounts(async ({ kv, accounts }) => {
    const cookie = await setUp(accounts);
    const stored = await Array.fromAsync(kv.list({ prefix: [] }));
    assert(!JSON.stringify(stored).includes(cookie));
    await accounts.signOut(cookie);
    assertEquals(await accounts.signedIn(cookie), undefined);
    assertEquals(await accounts.signedIn("made up"), undefined);
  });
});
