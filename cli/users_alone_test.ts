import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { readConfig } from "../lib/server/config/config.ts";
import { openStore } from "../lib/server/process/open_store.ts";
import { UserStore } from "../lib/store/users/user_store.ts";
import { systemRuntime } from "../lib/platform/runtime.ts";
import { inTempDir, runCli } from "../tests/support/command_line.ts";
import { LATER_START, startService } from "../tests/support/started_service.ts";
import { parseUsersArgs } from "./users_args.ts";
import { UsageError } from "./arguments.ts";

const OWNER = { email: "owner@example.com", password: "correct horse battery" };
const SETUP_TOKEN = "a-token-of-the-operator";

/** Sends a form as its page would; returns the cookies that the response sets. */
async function post(base: string, path: string, fields: Record<string, string>, cookie = "") {
  const headers = { origin: base, cookie };
  const body = new URLSearchParams(fields);
  const answer = await fetch(base + path, { method: "POST", body, headers, redirect: "manual" });
  const text = await answer.text();
  const cookies = answer.headers.getSetCookie().map((one) => one.split(";")[0]!);
  return { status: answer.status, text, cookie: cookies[0] ?? "" };
}

Deno.test("users reset: a sole owner gets back in by a link from the command line, once", () =>
  inTempDir(async (dir) => {
    const data = { dir: `${dir}/data` };
    let token: string;
    {
      await using service = await startService(dir, { SETUP_TOKEN });
      const { base } = service;
      const { cookie } = await post(base, "/setup", { token: SETUP_TOKEN, ...OWNER });
      assert(cookie !== "");
      const listed = await runCli("users", ["list"], data);
      assertMatch(listed.out, /owner@example\.com +owner, operator +20\d\d-/);

      const reset = await runCli("users", ["reset", " Owner@Example.com"], data);
      assertEquals(reset.code, 0, reset.err);
      const link = reset.out.trim();
      assert(link.startsWith(`${base}/reset-password?token=`), link);
      assert(!reset.err.includes(link.split("=")[1]!));
      token = new URL(link).searchParams.get("token")!;
      const account = await fetch(`${base}/account`, { headers: { cookie }, redirect: "manual" });
      await account.body?.cancel();
      assertEquals(account.status, 303, "the sign-in has ended");
      const guess = await post(base, "/reset-password", { token: "x", password: "any password 1" });
      assertEquals(guess.status, 410);
    }
    // The service need not run meanwhile; an earlier link of the same user ends.
    const again = await runCli("users", ["reset", OWNER.email], data);
    assertEquals([again.code, again.out.startsWith("http://127.0.0.1:")], [0, true], again.err);
    const next = new URL(again.out.trim()).searchParams.get("token")!;
    await using service = await startService(dir, { SETUP_TOKEN }, { lastLine: LATER_START });
    const { base } = service;
    const password = "plum orbit under snow";
    const common = await post(base, "/reset-password", { token: next, password: "1234567890" });
    assertEquals([common.status, common.text.includes("easy to guess")], [400, true]);
    const earlier = await post(base, "/reset-password", { token, password });
    assertEquals(earlier.status, 410);
    const done = await post(base, "/reset-password", { token: next, password });
    assertEquals(done.status, 303);
    assertEquals((await post(base, "/reset-password", { token: next, password })).status, 410);
    const old = await post(base, "/sign-in", OWNER);
    const renewed = await post(base, "/sign-in", { ...OWNER, password });
    assertEquals([old.status, renewed.status], [401, 303]);
    const headers = { cookie: renewed.cookie };
    const log = await (await fetch(`${base}/audit?actor=command_line`, { headers })).text();
    assertMatch(log, /Created password reset link for/);
    assertMatch(log, /Signed out everywhere:/);
  }));

Deno.test("a service as it is started hashes at OWASP's cost, and takes no common password", () =>
  inTempDir(async (dir) => {
    {
      await using service = await startService(dir, { SETUP_TOKEN });
      const fields = { token: SETUP_TOKEN, ...OWNER };
      const common = await post(service.base, "/setup", { ...fields, password: "1234567890" });
      assertEquals([common.status, common.text.includes("easy to guess")], [400, true]);
      assertEquals((await post(service.base, "/setup", fields)).status, 303);
      await service.stop();
    }
    const config = readConfig({ DATA_DIR: `${dir}/data` });
    const store = await openStore(config, { openKv: Deno.openKv, runtime: systemRuntime });
    const user = await new UserStore(store.kv, systemRuntime).findByEmail(OWNER.email);
    await store.close();
    assertMatch(user!.passwordHash, /^scrypt\$32768\$8\$3\$/);
  }));

Deno.test("users: an unknown e-mail is a failure, a wrong word a usage error, help is neither", () =>
  inTempDir(async (dir) => {
    const unknown = await runCli("users", ["reset", "nobody@example.com"], { dir });
    assertEquals([unknown.code, unknown.out], [1, ""]);
    assert(unknown.err.includes("no user has the e-mail nobody@example.com"), unknown.err);
    const wrong = await runCli("users", ["reset"], { dir });
    assertEquals(wrong.code, 2);
    assert(wrong.err.includes("deno task users --help"), wrong.err);
    const help = await runCli("users", ["--help"], { dir });
    assertEquals([help.code, help.out.includes("deno task users reset EMAIL")], [0, true]);
    assertEquals((await runCli("users", ["list"], { dir })).out, "No users yet.\n");
  }));

Deno.test("parseUsersArgs: wrong usage is a UsageError that says what is expected", () => {
  const wrong: [string[], string][] = [
    [[], "list, reset, reset-factors or operator"],
    [["operator"], "say grant or revoke"],
    [["operator", "make", "a@example.com"], "say grant or revoke"],
    [["operator", "grant"], "operator grant EMAIL"],
    [["operator", "revoke", "a@example.com", "--tenant", "x"], "only valid with list"],
    [["remove"], 'unknown action "remove"'],
    [["reset", "owner"], "EMAIL must be"],
    [["reset", "a@example.com", "b@example.com"], 'unexpected argument "b@example.com"'],
    [["reset", "a@example.com", "--tenant", "x"], "only valid with list"],
    [["reset-factors", "owner"], "EMAIL must be"],
    [["list", "x"], 'unexpected argument "x"'],
    [["list", "--bogus"], "--bogus"],
  ];
  for (const [words, message] of wrong) {
    assertThrows(() => parseUsersArgs(words), UsageError, message);
  }
  assertEquals(parseUsersArgs(["operator", "revoke", "a@example.com"]), {
    action: "operator",
    input: { operator: false, email: "a@example.com" },
  });
  assertEquals(parseUsersArgs(["reset", "--help"]), { action: "help" });
});
