import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { systemRuntime } from "../runtime.ts";
import { PasswordHasher } from "./password_hasher.ts";

const hasher = new PasswordHasher(systemRuntime);

/** A hash that an earlier version stored. */
async function cheaperHash(password: string): Promise<string> {
  const earlier = new PasswordHasher({ ...systemRuntime, cost: { N: 2 ** 15, r: 8, p: 1 } });
  return await earlier.hash(password);
}

Deno.test("PasswordHasher.hash salts each hash and stores OWASP's parameters", async () => {
  const [first, second] = await Promise.all([hasher.hash("the same"), hasher.hash("the same")]);
  assertMatch(first, /^scrypt\$32768\$8\$3\$/);
  assertNotEquals(first, second);
  assert(await hasher.verify("the same", first));
});

Deno.test("PasswordHasher.verify reads hashes of other costs, in either normal form", async () => {
  const stored = "scrypt$1024$8$1$AAAAAAAAAAAAAAAAAAAAAA$" +
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  assertEquals(await hasher.verify("anything", stored), false);
  const composed = await cheaperHash("caf\u00e9 au lait");
  assert(await hasher.verify("cafe\u0301 au lait", composed));
});

Deno.test("PasswordHasher.verify is false without a hash or with a broken one", async () => {
  assertEquals(await hasher.verify("anything", undefined), false);
  assertEquals(await hasher.verify("anything", "scrypt$oops"), false);
});

Deno.test("PasswordHasher.isCurrent: false for a cheaper hash, true for a more expensive one", async () => {
  assertEquals(hasher.isCurrent(await cheaperHash("x")), false);
  const rest = `${"A".repeat(22)}$${"A".repeat(43)}`;
  assertEquals(hasher.isCurrent(`scrypt$32768$8$3$${rest}`), true);
  assertEquals(hasher.isCurrent(`scrypt$131072$8$1$${rest}`), true);
  assertEquals(hasher.isCurrent("scrypt$oops"), false);
});

Deno.test("PasswordHasher.verify: a wrong password costs the same for no account, an old hash and a new one", async () => {
  let work = 0;
  const counting = new PasswordHasher({
    ...systemRuntime,
    derive: (_password, _salt, { N, r, p }) => {
      work += N * r * p;
      return Promise.resolve(new Uint8Array(32).fill(1));
    },
  });
  const rest = `${"A".repeat(22)}$${"A".repeat(43)}`;
  const costs: number[] = [];
  for (const stored of [undefined, "scrypt$oops", "32768$8$1", "32768$8$2", "32768$8$3"]) {
    work = 0;
    await counting.verify(
      "wrong",
      stored?.includes("oops") === false ? `scrypt$${stored}$${rest}` : stored,
    );
    costs.push(work);
  }
  assertEquals(new Set(costs), new Set([32768 * 8 * 3]));
});
