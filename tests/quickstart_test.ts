/** Runs the commands in docs/quickstart.md. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startService } from "./support/started_service.ts";

const root = new URL("../", import.meta.url).pathname;

/** The first shell block of a document. */
function firstShellBlock(document: string): string {
  const block = /```sh\n([\s\S]*?)```/.exec(document)?.[1];
  if (block === undefined) throw new Error("the document has no shell block");
  return block;
}

Deno.test("quickstart: the commands from an API key to a chat on a page work as written", async () => {
  const dir = await Deno.makeTempDir();
  const service = await startService(dir);
  try {
    const flow = firstShellBlock(await Deno.readTextFile(`${root}docs/quickstart.md`));
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
    const output = new TextDecoder().decode(shell.stdout);
    assertEquals(shell.code, 0);
    assertMatch(output, /agent [0-9a-f]{8}-[0-9a-f-]{27}\n/);
    assertMatch(output, /event: start\ndata: .*"provider":"vendor_a","model":"demo"/);
    assertMatch(output, /event: done\ndata: {"type":"done","finishReason":"stop"}\n\n$/);
    const page = await Deno.readTextFile(`${dir}/page.html`);
    assertMatch(page, /integrity="sha384-[A-Za-z0-9+/]{64}"/);
    assertMatch(page, /data-session-token="cs_[\w-]{64}"/);
  } finally {
    assertEquals((await service.stop()).code, 0);
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("start: a second start reuses the data of the first", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const first = await startService(dir);
    const demo = /"agentId":"([^"]+)"/.exec(first.output)![1]!;
    assertStringIncludes(first.output, "/demo");
    assertMatch(first.output, /Setup token {4}\S{24,}/);
    assertEquals((await Deno.stat(`${dir}/data`)).mode! & 0o777, 0o700);
    assertEquals((await Deno.stat(`${dir}/data/kv.sqlite3`)).mode! & 0o777, 0o600);
    const secrets = await Deno.readTextFile(`${dir}/data/secrets.json`);
    assertEquals((await first.stop()).code, 0);
    const second = await startService(dir);
    assertStringIncludes(second.output, demo);
    assertEquals(await Deno.readTextFile(`${dir}/data/secrets.json`), secrets);
    assertEquals((await second.stop()).code, 0);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
