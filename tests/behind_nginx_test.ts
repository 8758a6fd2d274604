/** A buffering proxy does not delay frames: CONTRACT section 6. */
import { assert, assertEquals } from "@std/assert";
import { type DecodedFrame, FrameDecoder } from "@/lib/schemas/frame_decoder.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { hasNginx, startNginx } from "./support/nginx.ts";
import { TestService } from "./support/service.ts";
import { say } from "./support/widget_calls.ts";

const isInstalled = await hasNginx();
if (!isInstalled) {
  console.log("nginx is not installed (apt-get install nginx): its test is skipped");
}

Deno.test({
  name:
    "POST /v1/chat/stream: behind nginx with its default buffering the first delta arrives before the run ends",
  ignore: !isInstalled,
  async fn() {
    const held = pausableRuntime();
    await using service = await TestService.start({ runtime: held.runtime });
    await using proxy = await startNginx(service.url);
    const key = await service.key();
    const { id: agentId } = await service.agent(key);
    const response = await fetch(`${proxy.url}/v1/chat/stream`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ agentId, messages: [say("Hello")] }),
    });
    assertEquals(response.headers.get("server")?.startsWith("nginx"), true);
    const reader = response.body!.getReader();
    const decoder = new FrameDecoder();
    const frames: DecodedFrame[] = [];
    while (!frames.some(({ type }) => type === "delta")) {
      const { value, done } = await reader.read();
      assert(!done);
      frames.push(...decoder.push(value));
    }
    // The model waits after its first word until the test releases it.
    assertEquals(service.service.chat.active.length, 1);
    held.release();
    while (true) {
      const { value, done } = await reader.read();
      if (done) break;
      frames.push(...decoder.push(value));
    }
    assertEquals(frames.at(-1)?.data, { type: "done", finishReason: "stop" });
  },
});
