/** Deno 2.9 and 2.5 use one store in turn, and each reads what the other wrote. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { ended } from "./support/conversations.ts";
import { expectJson } from "./support/expect_response.ts";
import { findOlderDeno } from "./support/older_deno.ts";
import { openTestKv } from "./support/open_kv.ts";
import { agentBody } from "./support/service.ts";
import { createKey, LATER_START, startService } from "./support/started_service.ts";
import { say } from "./support/widget_calls.ts";

const root = new URL("../", import.meta.url).pathname;
const older = await findOlderDeno();

/** A client of the service at `base`. */
function client(base: string, key: string) {
  const send = (path: string, json?: unknown, method = json === undefined ? "GET" : "POST") =>
    fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  return {
    read: async (path: string) => await expectJson(await send(path), 200),
    rename: async (id: string, name: string) =>
      await expectJson(await send(`/v1/agents/${id}`, { name }, "PATCH"), 200),
    createAgent: async (name: string) =>
      await expectJson(await send("/v1/agents", { ...agentBody(), name }), 201),
    chat: async (agentId: string, text: string, conversationId?: string) => {
      const messages = [say(text)];
      const json = {
        agentId,
        messages,
        maxOutputTokens: 20,
        ...conversationId && { conversationId },
      };
      return await ended(await send("/v1/chat/stream", json));
    },
  };
}

/** Everything in a stopped service's store; every value must be readable. */
async function storedValues(file: string): Promise<Map<string, unknown>> {
  using kv = await openTestKv(file);
  const rows = await Array.fromAsync(kv.list({ prefix: [] }));
  return new Map(rows.map(({ key, value }) => [key.join("/"), value]));
}

Deno.test({
  name:
    "a store: Deno 2.9, then 2.5, then 2.9 again read each other's values and continue a conversation",
  ignore: older === undefined,
  async fn() {
    const dir = await Deno.makeTempDir();
    try {
      await using first = await startService(dir);
      const key = await createKey(dir, {
        scopes: "agents:write,billing:read,conversations:write",
      });
      const on29 = client(first.base, key);
      const agent = await on29.createAgent("Made on 2.9");
      const answers = [await on29.chat(agent.id, "On 2.9")];
      const { id } = answers[0]!;
      await first.stop();

      await using second = await startService(dir, {}, { deno: older!, lastLine: LATER_START });
      const on25 = client(second.base, key);
      assertEquals(await on25.read(`/v1/agents/${agent.id}`), agent);
      const renamed = await on25.rename(agent.id, "Renamed on 2.5");
      const other = await on25.createAgent("Made on 2.5");
      answers.push(await on25.chat(agent.id, "On 2.5", id));
      const usage = await on25.read("/v1/usage");
      await second.stop();

      await using third = await startService(dir, {}, { lastLine: LATER_START });
      const again = client(third.base, key);
      assertEquals(await again.read(`/v1/agents/${agent.id}`), renamed);
      assertEquals(await again.read(`/v1/agents/${other.id}`), other);
      assertEquals((await again.read("/v1/usage")).days, usage.days);
      answers.push(await again.chat(agent.id, "On 2.9 again", id));
      const { runs } = await again.read(`/v1/conversations/${id}`);
      assertEquals(runs.map(({ text }: { text: string }) => text), answers.map(({ text }) => text));
      await third.stop();

      const stored = await storedValues(`${dir}/data/kv.sqlite3`);
      assert(stored.size > 30);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});

Deno.test({
  name: "a store: values written by 2.9 are unchanged after 2.5 has read and rewritten them",
  ignore: older === undefined,
  async fn() {
    const dir = await Deno.makeTempDir();
    try {
      const file = `${dir}/kv.sqlite3`;
      {
        using kv = await openTestKv(file);
        const values = [1.5, "text 漢", {
          a: [1, null, { b: new Uint8Array([1, 2]) }],
          c: 2 ** 53,
        }];
        for (const [n, value] of values.entries()) await kv.set(["tenants", n], value);
        await kv.set(["run_chunks", "t", "r", 0], new Uint8Array(49_152).fill(3));
      }
      const before = await storedValues(file);
      const { stdout } = await new Deno.Command(older!, {
        args: ["run", "-A", "--cached-only", "tests/support/rewrite_store.ts", file],
        cwd: root,
        stderr: "inherit",
      }).output();
      const [version, count] = new TextDecoder().decode(stdout).trim().split(" ");
      assertNotEquals(version, Deno.version.deno);
      assertEquals(Number(count), before.size);
      assertEquals(await storedValues(file), before);
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
});
