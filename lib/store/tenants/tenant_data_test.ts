import { assert, assertEquals } from "@std/assert";
import { sha256 } from "../../platform/crypto/signer.ts";
import { keys } from "../keys/keys.ts";
import { TenantData } from "./tenant_data.ts";
import {
  INSTALLATION_FAMILIES,
  LAST_FAMILIES,
  SHARED_FAMILIES,
  TENANT_FAMILIES,
} from "./tenant_families.ts";

const ALL = [...TENANT_FAMILIES, ...SHARED_FAMILIES, ...LAST_FAMILIES, ...INSTALLATION_FAMILIES];
const [A, B] = ["11111111-aaaa-4aaa-8aaa-111111111111", "22222222-bbbb-4bbb-8bbb-222222222222"];
const never = () => false;

type Builder = (...args: unknown[]) => Deno.KvKey;

/** A name of many parts: its tenant, and a text for every other part. */
function nameOf(tenant: string): unknown {
  return new Proxy({}, {
    get: (_, part) => part === "tenant" ? tenant : textOf(String(part), tenant),
  });
}

/** An id of the tenant's: the same one wherever it could be that of an agent, a user or a key. */
function textOf(parameter: string, tenant: string): string {
  return `${parameter === "agentId" ? "id" : parameter}-${tenant.slice(0, 4)}`;
}

/** The names of a builder's parameters; `{` for a destructured one. */
function parametersOf(builder: Builder): string[] {
  const list = /^\s*\(([\s\S]*?)\)\s*=>/.exec(builder.toString())?.[1] ?? "";
  const plain = list.replace(/\{[^}]*\}/g, "{").trim();
  return plain === "" ? [] : plain.split(",").map((one) => one.trim()).filter((one) => one !== "");
}

/** A key of every builder, as of `tenant`. */
async function keysOf(tenant: string): Promise<Map<string, Deno.KvKey>> {
  const emailHash = await sha256(emailOf(tenant));
  const found = new Map<string, Deno.KvKey>();
  for (const [name, builder] of Object.entries(keys) as [string, Builder][]) {
    const args = parametersOf(builder).map((parameter) => {
      if (parameter.includes("=")) return undefined;
      if (parameter === "tenant") return tenant;
      if (parameter === "emailHash") return emailHash;
      return parameter === "{" || parameter === "of" ? nameOf(tenant) : textOf(parameter, tenant);
    });
    found.set(name, builder(...args));
  }
  return found;
}

function emailOf(tenant: string): string {
  return `user@${tenant.slice(0, 4)}.example`;
}

/** What a record of a shared family says about its tenant. */
function valueOf(family: unknown, tenant: string) {
  const isShared = family === "users" || SHARED_FAMILIES.includes(family as never);
  const owner = { tenant, email: emailOf(tenant), apiKey: textOf("id", tenant) };
  return { v: 1, ...isShared && owner };
}

async function fill(kv: Deno.Kv, tenant: string): Promise<void> {
  for (const key of (await keysOf(tenant)).values()) {
    const [family] = key;
    // A prefix alone is no key of a record.
    if (key.length < 2 || INSTALLATION_FAMILIES.includes(family as never)) continue;
    await kv.set(key, valueOf(family, tenant));
  }
}

async function rowsOf(kv: Deno.Kv): Promise<string[]> {
  const rows = kv.list({ prefix: [] });
  return (await Array.fromAsync(rows, ({ key, value }) => JSON.stringify([key, value]))).sort();
}

Deno.test("tenant families: every family of the key builders has its place, once, and no other is named", async () => {
  const families = new Set([...(await keysOf(A)).values()].map(([family]) => family));
  assertEquals([...families].filter((one) => !ALL.includes(one as never)), [], "in no list");
  assertEquals(ALL.filter((one) => !families.has(one)), [], "without a builder");
  assertEquals(new Set(ALL).size, ALL.length);
});

Deno.test("tenant families: the second part is the tenant exactly in those of a tenant", async () => {
  for (const [name, [family, second]] of await keysOf(A)) {
    if (second === undefined) continue;
    const isOfTenant = [...TENANT_FAMILIES, ...LAST_FAMILIES].includes(family as never);
    assertEquals(second === A, isOfTenant, name);
  }
});

Deno.test("TenantData.delete: deletes every key that a builder makes of a tenant, and none of another", async () => {
  using kv = await Deno.openKv(":memory:");
  await fill(kv, B);
  const others = await rowsOf(kv);
  await fill(kv, A);
  assert((await rowsOf(kv)).length > others.length + 80);
  const data = new TenantData(kv);
  const { deleted, isComplete } = await data.delete(A, never);
  assert(deleted > 80 && isComplete);
  const left = (await rowsOf(kv)).filter((row) => row.includes(A) && !isLast(row));
  assertEquals(left, []);
  assertEquals(
    (await rowsOf(kv)).filter((row) => row.includes(B)),
    others.filter((row) => row.includes(B)),
  );
  assertEquals((await data.delete(A, never)).deleted, 0, "nothing is left for a second pass");
});

function isLast(row: string): boolean {
  return LAST_FAMILIES.some((family) => row.startsWith(`[["${family}"`));
}

Deno.test("TenantData.delete: interrupted after any commit, the next attempts delete the rest", async () => {
  for (let commits = 0; commits < 12; commits++) {
    using kv = await Deno.openKv(":memory:");
    await fill(kv, B);
    const others = (await rowsOf(kv)).filter((row) => row.includes(B));
    await fill(kv, A);
    // More than one step of a family.
    for (let n = 0; n < 450; n++) await kv.set(keys.run(A, `run-${n}`), { v: 1 });
    let left = commits;
    const dying = new Proxy(kv, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== "atomic") return typeof value === "function" ? value.bind(target) : value;
        return () => {
          const atomic = target.atomic();
          const commit = atomic.commit.bind(atomic);
          const orDie = () => left-- > 0 ? commit() : Promise.reject(new Error("killed"));
          return Object.assign(atomic, { commit: orDie });
        };
      },
    });
    await new TenantData(dying).delete(A, never).catch(() => {});
    assert((await new TenantData(kv).delete(A, never)).isComplete);
    assertEquals((await rowsOf(kv)).filter((row) => row.includes(A) && !isLast(row)), []);
    assertEquals((await rowsOf(kv)).filter((row) => row.includes(B)), others);
  }
});

Deno.test("TenantData.delete: stops between steps when the rest is due later, and says so", async () => {
  using kv = await Deno.openKv(":memory:");
  for (let n = 0; n < 450; n++) await kv.set(keys.run(A, `run-${n}`), { v: 1 });
  const data = new TenantData(kv);
  let asked = 0;
  const pass = await data.delete(A, () => kvIsBusy(++asked));
  assertEquals([pass.isComplete, pass.deleted < 450, pass.deleted > 0], [false, true, true]);
  assert((await data.delete(A, never)).isComplete);
  assertEquals(await rowsOf(kv), []);
});

/** True from the first step of the runs on, which come after many empty families. */
function kvIsBusy(asked: number): boolean {
  return asked > 12 + TENANT_FAMILIES.indexOf("runs");
}
