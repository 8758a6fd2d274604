/**
 * The image of `Dockerfile`, without a network and with a read-only root, as `deno task check:image`
 * builds it. `IMAGE` names another one.
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { Container, findEngine } from "./support/container/container.ts";

const IMAGE = Deno.env.get("IMAGE");
if (IMAGE === undefined) {
  console.log("the image is not tested: deno task check:image builds and tests it");
}

/** Sends a message to the first agent, and returns the frames' types and the answer. */
const CHAT = `
const headers = { authorization: "Bearer KEY", "content-type": "application/json" };
const call = (path, init) => fetch("http://127.0.0.1:8000" + path, { headers, ...init });
const { data: [agent] } = await (await call("/v1/agents")).json();
const messages = [{ role: "user", content: "Hello" }];
const body = JSON.stringify({ agentId: agent.id, messages });
const stream = await (await call("/v1/chat/stream", { method: "POST", body })).text();
const types = [...stream.matchAll(/"type":"(\\w+)"/g)].map(([, type]) => type);
const widget = await fetch("http://127.0.0.1:8000/widget.v1.js");
console.log(JSON.stringify({ types, widget: [widget.status, (await widget.text()).length] }));
`;

/** Uploads a document that is large enough for a separate process, and waits until it is processed. */
const UPLOAD = `
const headers = { authorization: "Bearer KEY" };
const call = (path, init) => fetch("http://127.0.0.1:8000/v1/knowledge-bases" + path, { headers, ...init });
const json = { "content-type": "application/json", ...headers };
const { id } = await (await call("", { method: "POST", body: '{"name":"b"}', headers: json })).json();
const form = new FormData();
form.set("file", new File(["# Refunds\\n\\n", "They take 14 days.\\n\\n".repeat(20_000)], "a.md"));
let document = await (await call("/" + id + "/documents", { method: "POST", body: form })).json();
while (document.state === "processing") {
  await new Promise((done) => setTimeout(done, 250));
  document = await (await call("/" + id + "/documents/" + document.id)).json();
}
console.log(JSON.stringify(document.state));
`;

async function makeKey(container: Container): Promise<string> {
  const scopes = "agents:write,knowledge:write";
  const words = ["create", "--name", "image", "--scopes", scopes];
  return (await container.exec(["deno", "task", "keys", ...words])).trim();
}

Deno.test({
  name: "the image: starts without a network, chats, processes documents, and ends with SIGTERM",
  ignore: IMAGE === undefined,
  async fn(t) {
    const engine = await findEngine(IMAGE!);
    await using container = await Container.start(engine, { image: IMAGE! });
    await container.until(/Setup token/);
    await t.step("nothing is missing at the start, and nothing is built", async () => {
      const lines = (await container.logs()).split("\n").filter((line) => line.startsWith("{"));
      assertEquals(lines.filter((line) => !line.includes('"level":"info"')), []);
    });
    await t.step("it runs as another user than root, who can write /data only", async () => {
      assertEquals((await container.exec(["id", "-u"])).trim(), "10001");
      const probe = "touch /app/x /var/cache/deno/x /usr/x 2>/dev/null; ls /app/x /usr/x; true";
      assertEquals(await container.exec(["/bin/sh", "-c", `${probe} 2>/dev/null`]), "");
      await container.exec(["touch", "/data/x"]);
    });
    await t.step("the health check succeeds", async () => {
      await container.exec([
        ...["deno", "run", "--no-config", "--no-prompt", "--allow-net", "--allow-env=PORT"],
        "tools/check_health.ts",
      ]);
    });
    const key = await makeKey(container);
    await t.step("a chat is answered, and the widget is served", async () => {
      const chat = await container.evaluate<{ types: string[]; widget: number[] }>(
        CHAT.replace("KEY", key),
      );
      assertEquals([chat.types[0], chat.types.at(-1)], ["start", "done"]);
      assertEquals(chat.widget[0], 200);
      assert(chat.widget[1]! > 5_000);
    });
    await t.step("a document is parsed in a separate process", async () => {
      assertEquals(await container.evaluate(UPLOAD.replace("KEY", key)), "ready");
    });
    await t.step("SIGTERM ends it with 0", async () => {
      assertEquals(await container.stop(), 0);
    });
  },
});

Deno.test({
  name: "the image: WORKERS starts server processes, which end with SIGTERM",
  ignore: IMAGE === undefined,
  async fn() {
    const engine = await findEngine(IMAGE!);
    await using container = await Container.start(engine, { image: IMAGE!, env: { WORKERS: "2" } });
    await container.until(/Setup token/);
    const commands = "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -c ^main.ts$";
    // The supervisor, and two server processes once the second has started.
    const until = `while [ "$(${commands})" -lt 3 ]; do sleep 0.1; done`;
    await container.exec(["/bin/sh", "-c", until]);
    assertMatch(await container.logs(), /Setup token/);
    assertEquals(await container.stop(), 0);
  },
});

Deno.test({
  name: "the image: holds no tests, no working files and no secrets",
  ignore: IMAGE === undefined,
  async fn() {
    const engine = await findEngine(IMAGE!);
    await using container = await Container.start(engine, { image: IMAGE! });
    const files = await container.exec([
      "find",
      "/app",
      "/data",
      "-not",
      "-path",
      "*/node_modules/*",
    ]);
    const wrong = /_test\.tsx?$|\/\.env|\.sqlite3|secrets\.json|\/tests\/|\/\.git|\.log$/;
    const own = files.split("\n").filter((path) => !path.startsWith("/data"));
    assert(own.length > 500);
    assertEquals(own.filter((path) => wrong.test(path)), []);
    const env = await container.exec(["env"]);
    assertEquals(/SECRET|TOKEN|KEY|PASSWORD/.test(env), false);
  },
});
