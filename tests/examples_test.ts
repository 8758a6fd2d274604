/** The clients in examples/, run from the command line. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { encodeFrame } from "@/lib/http/encoders/native_encoder.ts";
import { type Frame, frameSchema } from "@/lib/schemas/frames.ts";
import { startBufferingProxy } from "./support/buffering_proxy.ts";
import { LosingProxy } from "./support/losing_proxy.ts";
import { isInstalled } from "./support/installed_program.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const EXAMPLES = new URL("../examples/", import.meta.url).pathname;
const MESSAGE = 'Say "ü" and \\" in\ntwo lines,\r\n\ttabs \u0001 & $HOME `x` \\n';
/** Bytes after which each connection is cut: in the response head, between frames and inside them. */
const CUTS = [40, 700, 900, 1, 999, 1_060];

const CLIENTS = [
  { name: "client.py", needs: "python3", args: [`${EXAMPLES}client.py`] },
  { name: "client.sh", needs: "curl", args: [`${EXAMPLES}client.sh`] },
].map((client) => ({ ...client, command: client.needs === "curl" ? "bash" : client.needs }));

type Client = (typeof CLIENTS)[number];

function spawn({ command, args }: Client, env: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command(command, {
    args: [...args, MESSAGE],
    clearEnv: true,
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: "/nowhere", RETRY_SECONDS: "0", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** The answer's text in a client's output. */
function answerIn({ name }: Client, output: string): string {
  if (name === "client.py") return output;
  const frames = output.trim().split("\n").map((line) => frameSchema.parse(JSON.parse(line)));
  return textOf(frames.map((frame) => ({ id: undefined, frame })));
}

async function withAgent(service: TestService) {
  const key = await service.key();
  const agent = await service.agent(key);
  return { key, agent, env: { API_KEY: key, AGENT_ID: agent.id } };
}

for (const client of CLIENTS) {
  const ignore = !isInstalled(client.needs);

  Deno.test({
    name: `${client.name}: prints the whole answer however often its connection is lost`,
    ignore,
    async fn() {
      await using service = await TestService.start(instantRuntime());
      const { key, agent, env } = await withAgent(service);
      const body = { agentId: agent.id, messages: [say(MESSAGE)] };
      const whole = textOf(await readFrames(await byKey(service, { key, body })));
      await using proxy = new LosingProxy(service.url, { cuts: CUTS });
      const ended = await spawn(client, { ...env, BASE_URL: proxy.url }).output();
      const [output, errors] = [ended.stdout, ended.stderr].map((b) => new TextDecoder().decode(b));
      assertEquals([ended.code, proxy.cut], [0, CUTS.length], errors);
      assertEquals(answerIn(client, output!), whole);
    },
  });

  Deno.test({
    name:
      `${client.name}: reads the whole answer by polls, one message, through a proxy that buffers streams`,
    ignore,
    async fn() {
      await using service = await TestService.start(instantRuntime());
      const { key, agent, env } = await withAgent(service);
      const body = { agentId: agent.id, messages: [say(MESSAGE)] };
      const whole = textOf(await readFrames(await byKey(service, { key, body })));
      const asked: string[] = [];
      await using proxy = startBufferingProxy(service.url, (path) => void asked.push(path));
      const sent = { ...env, BASE_URL: proxy.url, WAIT_SECONDS: "10" };
      const { code, stdout, stderr } = await spawn(client, sent).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      assertEquals(answerIn(client, new TextDecoder().decode(stdout)), whole);
      const [first, ...polls] = asked;
      assertEquals(first, "/v1/chat/stream?wait=10");
      for (const poll of polls) assertMatch(poll, /^\/v1\/chat\/runs\/.*\/stream\?wait=10$/);
    },
  });

  Deno.test({
    name: `${client.name}: cancels its run on SIGINT and prints the run's end`,
    ignore,
    async fn() {
      await using service = await TestService.start(pausableRuntime());
      const { env } = await withAgent(service);
      const child = spawn(client, { ...env, BASE_URL: service.url });
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
      let output = "";
      const read = async () => {
        const { value, done } = await reader.read();
        output += value ?? "";
        return !done;
      };
      while (!output.includes("Hello!")) await read();
      child.kill("SIGINT");
      while (await read());
      const errors = await new Response(child.stderr).text();
      assertEquals((await child.status).code, 0, errors);
      assertMatch(output + errors, /cancelled/);
    },
  });

  Deno.test({
    name: `${client.name}: prints the error of a rejected request`,
    ignore,
    async fn() {
      await using service = await TestService.start();
      const { env } = await withAgent(service);
      const sent = { ...env, BASE_URL: service.url, AGENT_ID: crypto.randomUUID() };
      const { code, stderr } = await spawn(client, sent).output();
      assertEquals(code, 1);
      assertStringIncludes(new TextDecoder().decode(stderr), `"code":"not_found"`);
    },
  });
}

/** Sends one of these bodies on each connection, then closes it without ending the response. */
function startAbruptServer(bodies: readonly Uint8Array[]) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async () => {
    for (const body of bodies) {
      using connection = await listener.accept();
      // Unread request bytes would turn the close into a reset.
      const buffer = new Uint8Array(8_192);
      for (let request = ""; !/^GET.*\r\n\r\n$|\}$/s.test(request);) {
        request += new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
      }
      await connection.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
      await connection.write(body);
    }
    listener.close();
  };
  return { url: `http://127.0.0.1:${listener.addr.port}`, served: serve() };
}

for (const client of CLIENTS) {
  Deno.test({
    name: `${client.name}: resumes after a connection is lost inside a character`,
    ignore: !isInstalled(client.needs),
    async fn() {
      const runId = crypto.randomUUID();
      const wire = (n: number, frame: Frame) =>
        new TextEncoder().encode(encodeFrame(runId, { n, frame }));
      const [begin, umlaut] = ["a", "ü"].map((text, i) => wire(i + 1, { type: "delta", text }));
      const end = wire(3, { type: "done", finishReason: "stop" });
      const half = umlaut!.indexOf(0xc3) + 1;
      const whole = [[...begin!, ...umlaut!.subarray(0, half)], [...umlaut!, ...end]];
      const service = startAbruptServer(whole.map((bytes) => Uint8Array.from(bytes)));
      const env = { BASE_URL: service.url, API_KEY: "ck", AGENT_ID: crypto.randomUUID() };
      const { code, stdout, stderr } = await spawn(client, env).output();
      await service.served;
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      assertEquals(answerIn(client, new TextDecoder().decode(stdout)), "aü");
    },
  });
}
