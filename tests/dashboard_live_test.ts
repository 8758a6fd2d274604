/** /conversations: a running answer is listed, followed and stopped. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Model, ModelEvent, ModelRequest } from "@/lib/providers/model.ts";
import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { readFrames } from "./support/frames.ts";
import { openConversations } from "./support/conversations.ts";
import { streamOf } from "./support/model_events.ts";
import { onPage, say } from "./support/widget_calls.ts";

const BEGINNING = "It is **on its";

/** A model that begins an answer and ends it after `resume`. */
function pausingModel(): { model: Model; resume: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* words({ signal }: ModelRequest): AsyncGenerator<ModelEvent> {
    yield { type: "text", text: BEGINNING };
    const stopped = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => stopped.reject(signal.reason));
    await Promise.race([promise, stopped.promise]);
    yield { type: "text", text: " way**." };
    yield { type: "usage", inputTokens: 5, outputTokens: 5 };
    yield { type: "end", reason: "stop" };
  }
  return {
    model: { stream: (request) => Promise.resolve(streamOf(words(request))) },
    resume: resolve,
  };
}

async function open() {
  const fixture = await openConversations({ env: { SETUP_TOKEN } });
  const { service, agent, sessionToken } = fixture;
  const { model, resume } = pausingModel();
  (service.service.providers as ModelRegistry).find = () => model;
  const owner = await Dashboard.setUp(service);
  const html = async (path: string) => await (await owner.get(path)).text();
  const answer = await onPage(service, {
    ...{ agent, sessionToken, body: { messages: [say("Where is my parcel?")] } },
  });
  const runId = answer.headers.get("x-run-id")!;
  return { ...fixture, owner, html, answer, runId, resume };
}

/** The link of the only row of the list. */
function rowLink(list: string): string {
  const [, href] = /class="row-link[^"]*" href="([^"]+)"/.exec(list) ?? [];
  assert(href);
  return href.replaceAll("&amp;", "&");
}

Deno.test("/conversations: a conversation is listed and readable while its first answer is written", async () => {
  await using fixture = await open();
  const { html, answer, runId, resume, owner } = fixture;
  const list = await html("/conversations");
  assertStringIncludes(list, "Where is my parcel?");
  assertStringIncludes(list, "outcome-live");
  assertEquals((await html("/conversations?finish=error")).includes("parcel"), false);
  assertEquals((await html("/conversations?source=api")).includes("parcel"), false);
  const page = await html(rowLink(list));
  assertStringIncludes(page, "Where is my parcel?");
  assertStringIncludes(page, `action="/conversations/runs/${runId}/stop"`);
  const stream = await owner.get(`/conversations/runs/${runId}/stream`);
  assertEquals(stream.headers.get("content-type"), "text/event-stream; charset=utf-8");
  resume();
  const frames = await readFrames(stream);
  const text = frames.map(({ frame }) => frame.type === "delta" ? frame.text : "").join("");
  assertEquals(text, "It is **on its way**.");
  await answer.body?.cancel();
  const ended = await html(rowLink(await html("/conversations")));
  assertStringIncludes(ended, "<strong>on its way</strong>");
  assertEquals(ended.includes("/stop"), false);
  assertEquals((await owner.get(`/conversations/runs/${runId}/stream`)).status, 204);
});

Deno.test("/conversations/runs/:id/stop: stops the answer and keeps what was written", async () => {
  await using fixture = await open();
  const { html, owner, answer, runId } = fixture;
  const stopped = await owner.post(`/conversations/runs/${runId}/stop`, {});
  assertEquals(stopped.status, 303);
  const location = stopped.headers.get("location")!;
  assertStringIncludes(location, "notice=run_stopped");
  const frames = await readFrames(answer);
  const last = frames.at(-1)!.frame;
  assert(last.type === "done" && last.finishReason === "cancelled");
  const page = await html(location);
  assertStringIncludes(page, "Answer stopped.");
  assertStringIncludes(page, "Stopped</span>");
  assertStringIncludes(page, "on its");
  // Again: it has ended.
  const again = await owner.post(`/conversations/runs/${runId}/stop`, {});
  assertEquals(again.headers.get("location")?.startsWith("/conversations?id="), true);
});

Deno.test("/conversations/runs/:id: unknown to another tenant and to viewers' changes", async () => {
  await using fixture = await open();
  const { service, runId, resume, answer } = fixture;
  const { id: tenant } = await service.service.tenants.create("Elsewhere");
  const other = await Dashboard.join(service, "owner", { tenant, name: "else" });
  assertEquals((await other.get(`/conversations/runs/${runId}/stream`)).status, 404);
  assertEquals((await other.post(`/conversations/runs/${runId}/stop`, {})).status, 404);
  const viewer = await Dashboard.join(service, "viewer", {
    ...{ tenant: await service.tenant(), name: "viewer" },
  });
  assertEquals((await viewer.post(`/conversations/runs/${runId}/stop`, {})).status, 403);
  const page = await (await viewer.get(
    rowLink(await (await viewer.get("/conversations")).text()),
  )).text();
  assertStringIncludes(page, "Where is my parcel?");
  assertEquals(page.includes("/stop"), false);
  resume();
  await answer.text();
});

Deno.test("/conversations/runs/:id/stop: the audit log says in which format the answer was asked for", async () => {
  await using fixture = await open();
  const { service, owner, agent, answer, runId, html } = fixture;
  const key = await service.key();
  const asked = await service.fetch("/v1/openai/chat/completions", {
    ...{ method: "POST", key },
    json: { model: agent.id, stream: true, messages: [say("And by OpenAI's client?")] },
  });
  for (const id of [asked.headers.get("x-run-id"), runId]) {
    assertEquals((await owner.post(`/conversations/runs/${id}/stop`, {})).status, 303);
  }
  for (const response of [asked, answer]) await response.body?.cancel();
  const log = await html("/audit?kind=conversation");
  assertStringIncludes(log, "openai-chat");
  assertStringIncludes(log, "native");
});
