/** What the README tells a new user to type is typed here. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startService } from "./support/started_service.ts";

const root = new URL("../", import.meta.url).pathname;

/** The shell block under a heading. */
function shellBlock(readme: string, heading: string): string {
  const section = readme.split(`## ${heading}\n`)[1];
  const block = /```sh\n([\s\S]*?)```/.exec(section ?? "")?.[1];
  if (block === undefined) throw new Error(`README has no shell block under "${heading}"`);
  return block;
}

Deno.test("README: the flow from a key to a chat on a page works as it is written", async () => {
  const dir = await Deno.makeTempDir();
  const service = await startService(dir);
  try {
    const flow = shellBlock(
      await Deno.readTextFile(`${root}README.md`),
      "From a key to a chat on a page",
    );
    const script = flow
      .replace("BASE=http://127.0.0.1:8000", `BASE=${service.base}`)
      .replace('npx --yes deno@2.9.6 "$@"', `"${Deno.execPath()}" "$@"`)
      .replace("cat > page.html", `cat > "${dir}/page.html"`);
    assert(script !== flow);
    const shell = await new Deno.Command("bash", {
      args: ["-c", script],
      cwd: root,
      env: { DATA_DIR: `${dir}/data` },
    }).output();
    const said = new TextDecoder().decode(shell.stdout);
    assertEquals(shell.code, 0);
    assertMatch(said, /agent [0-9a-f]{8}-[0-9a-f-]{27}\n/);
    assertMatch(said, /event: start\ndata: .*"provider":"vendor_a","model":"demo"/);
    assertMatch(said, /event: done\ndata: {"type":"done","finishReason":"stop"}\n\n$/);
    const page = await Deno.readTextFile(`${dir}/page.html`);
    assertMatch(page, /integrity="sha384-[A-Za-z0-9+/]{64}"/);
    assertMatch(page, /data-session-token="cs_[\w-]{64}"/);
  } finally {
    assertEquals((await service.stop()).code, 0);
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("start: the second start finds everything as it was", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const first = await startService(dir);
    const demo = /"agentId":"([^"]+)"/.exec(first.told)![1]!;
    assertStringIncludes(first.told, "/demo");
    assertMatch(first.told, /Setup token {4}\S{24,}/);
    assertEquals((await Deno.stat(`${dir}/data`)).mode! & 0o777, 0o700);
    assertEquals((await Deno.stat(`${dir}/data/kv.sqlite3`)).mode! & 0o777, 0o600);
    const secrets = await Deno.readTextFile(`${dir}/data/secrets.json`);
    assertEquals((await first.stop()).code, 0);
    const second = await startService(dir);
    assertStringIncludes(second.told, demo);
    assertEquals(await Deno.readTextFile(`${dir}/data/secrets.json`), secrets);
    assertEquals((await second.stop()).code, 0);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
