import { assert, assertEquals, assertMatch } from "@std/assert";
import { readConfig } from "../lib/server/config/config.ts";
import { openStore } from "../lib/server/process/open_store.ts";
import { systemRuntime } from "../lib/platform/runtime.ts";
import { inTempDir, type Run, runCli, serveIn } from "../tests/support/command_line.ts";

const ONE_KEY = /^ck_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}\n$/;

const runner = (dir: string): Run => (...words) => runCli("keys", words, { dir });

async function createListRevoke(run: Run): Promise<void> {
  const created = await run("create", "--name", "ci", "--scopes", "agents:write,widget:mint");
  assertMatch(created.out, ONE_KEY);
  assert(created.err.includes("not shown again"));
  assertEquals(created.code, 0);
  const prefix = created.out.slice(8, 16);

  const listed = await run("list");
  assertMatch(listed.out, new RegExp(`${prefix} +ci +active .*agents:write,widget:mint`));
  assert(!listed.out.includes(created.out.slice(17, 30)));

  const revoked = await run("revoke", prefix);
  assertEquals([revoked.code, revoked.out], [0, ""]);
  assertMatch((await run("list")).out, new RegExp(`${prefix} +ci +revoked`));
}

Deno.test("keys: creates, lists and revokes on a fresh data folder without a service", () =>
  inTempDir((dir) => createListRevoke(runner(`${dir}/data`))));

Deno.test("keys: creates, lists and revokes through the running service", () =>
  inTempDir(async (dir) => {
    const service = await serveIn(dir);
    await createListRevoke(runner(dir)).finally(() => service.close());
  }));

Deno.test("keys: a key made without the service opens the service later", () =>
  inTempDir(async (dir) => {
    const created = await runner(dir)("create", "--name", "first", "--scopes", "billing:read");
    const service = await serveIn(dir);
    const identity = await service.apiKeys.verify(created.out.trim());
    assertEquals(identity?.scopes, ["billing:read"]);
    await service.close();
  }));

Deno.test("keys: a wrong command line ends with 2, a failure with 1, help with 0", () =>
  inTempDir(async (dir) => {
    const run = runner(dir);
    const wrong = await run("create", "--name", "x", "--scopes", "agents:fly");
    assertEquals([wrong.code, wrong.out], [2, ""]);
    assert(wrong.err.includes('unknown scope "agents:fly"') && wrong.err.includes("widget:mint"));

    const failed = await run("revoke", "AAAAAAAA");
    assertEquals([failed.code, failed.out], [1, ""]);
    assert(failed.err.includes("no key with prefix AAAAAAAA"));

    const help = await run("--help");
    assertEquals([help.code, help.err], [0, ""]);
    assert(help.out.includes("deno task keys create"));
  }));

Deno.test("keys: a folder held by a process that takes no commands is a clear failure", () =>
  inTempDir(async (dir) => {
    const config = readConfig({ DATA_DIR: dir });
    const store = await openStore(config, { openKv: Deno.openKv, runtime: systemRuntime });
    const { code, err } = await runner(dir)("list");
    assertEquals(code, 1);
    assert(err.includes("try again"));
    await store.close();
  }));

Deno.test("keys: restrict changes what it names, and lists what is restricted", () =>
  inTempDir(async (dir) => {
    const run = runner(dir);
    const scopes = ["--scopes", "agents:read", "--purpose", "nightly job"];
    const made = await run("create", "--name", "ci", ...scopes, "--addresses", "203.0.113.7");
    const prefix = made.out.slice(8, 16);
    const agent = crypto.randomUUID();
    const restricted = await run("restrict", prefix, "--agents", agent);
    const both = `restricted to agents ${agent} and addresses in 203.0.113.7/32.\n`;
    assert(restricted.err.endsWith(both), restricted.err);
    const listed = await run("list");
    assertMatch(listed.out, /nightly job +active .* command line /);
    assert(listed.out.includes(`${agent},203.0.113.7/32`));
    const lifted = await run("restrict", prefix, "--agents", "any", "--addresses", "any");
    assert(lifted.err.endsWith("is not restricted.\n"), lifted.err);
    const wrong = await run("restrict", prefix, "--addresses", "203.0.113.0/99");
    assertEquals([wrong.code, wrong.err.includes("must be any, or 1 to 50 IP addresses")], [
      1,
      true,
    ]);
  }));
