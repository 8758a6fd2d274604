/** The tool `search_knowledge` in a run: CONTRACT section 2. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { frameTypes, onlyFrame } from "./support/frame_types.ts";
import { readFrames, textOf } from "./support/frames.ts";
import { openKnowledge } from "./support/knowledge.ts";
import { catalogueEntry } from "./support/chat.ts";
import {
  embeddedTexts,
  embeddingOf,
  embeddingsResponse,
} from "./support/mock_providers/embeddings.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { KEYS } from "./support/provider_connections.ts";
import { byKey, say } from "./support/widget_calls.ts";

const HANDBOOK = {
  title: "Handbook",
  mediaType: "text/markdown",
  content: "# Sales\n\n## Returns\n\nYou may return any book within thirty days of delivery.\n",
};

/** The frames of a message to an agent that has the knowledge base of `fixture`. */
async function ask(
  fixture: Awaited<ReturnType<typeof openKnowledge>>,
  { message, agent: change = {} }: { message: string; agent?: Record<string, unknown> },
) {
  const { service, key, base } = fixture;
  const agent = await service.agent(key, { knowledgeBaseId: base.id, ...change });
  const body = { agentId: agent.id, messages: [say(message)] };
  return await readFrames(await byKey(service, { key, body }));
}

Deno.test("search_knowledge: the demo model answers from the best passage and names it", async () => {
  await using fixture = await openKnowledge();
  const { id } = await fixture.settled(await fixture.post(HANDBOOK));
  const frames = await ask(fixture, { message: "Can I return a book?" });
  assertEquals(frameTypes(frames).slice(0, 3), ["start", "tool_call", "tool_result"]);
  const call = onlyFrame(frames, "tool_call");
  assertEquals([call.name, call.args], ["search_knowledge", { query: "Can I return a book?" }]);
  // deno-lint-ignore no-explicit-any -- the assertions check the shape
  const { passages } = onlyFrame(frames, "tool_result").output as any;
  const [{ text, score, ...best }] = passages;
  assertEquals(best, { documentId: id, title: "Handbook", headingPath: ["Sales", "Returns"] });
  assertMatch(text, /thirty days/);
  assertEquals(score > 0, true);
  assertStringIncludes(textOf(frames), "within thirty days of delivery");
  assertStringIncludes(textOf(frames), "Source: Handbook › Sales › Returns");
});

Deno.test("search_knowledge: finds a document once it is ready, and not after it is deleted", async () => {
  await using fixture = await openKnowledge();
  assertMatch(textOf(await ask(fixture, { message: "Books?" })), /found nothing/);
  const { id } = await fixture.settled(await fixture.post(HANDBOOK));
  assertMatch(textOf(await ask(fixture, { message: "Books?" })), /Handbook/);
  await fixture.remove(`/documents/${id}`);
  assertMatch(textOf(await ask(fixture, { message: "Books?" })), /found nothing/);
});

Deno.test("search_knowledge: an agent whose base has been deleted still answers", async () => {
  await using fixture = await openKnowledge();
  const agent = await fixture.service.agent(fixture.key, { knowledgeBaseId: fixture.base.id });
  await fixture.remove();
  const body = { agentId: agent.id, messages: [say("Books?")] };
  const frames = await readFrames(await byKey(fixture.service, { key: fixture.key, body }));
  const { output } = onlyFrame(frames, "tool_result");
  assertMatch(JSON.stringify(output), /tool_unreachable/);
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
});

Deno.test("search_knowledge: a provider's model receives the tool and the instruction that documents are data", async () => {
  await using mock = await MockProviders.start({
    otherwise: (request) => {
      const texts = embeddedTexts(request);
      return texts === undefined
        ? {}
        : embeddingsResponse(request, { vectors: texts.map(embeddingOf), tokens: 5 });
    },
  });
  const provider = {
    VENDOR_A_BASE_URL: mock.url,
    VENDOR_A_API_KEY: KEYS.openai,
    VENDOR_A_EMBEDDING_MODEL: "emb",
  };
  await using fixture = await openKnowledge({ env: provider });
  const models = ["mid", "emb"].map((model) => catalogueEntry({ model }));
  await fixture.service.service.catalogue.addMissing(models);
  await fixture.settled(
    await fixture.post({ title: "Pets", content: "The hound barks at night." }),
  );
  await fixture.service.service.knowledgeSearch.whenIdle();
  const args = JSON.stringify({ query: "puppy", limit: 1 });
  mock.next({ say: [{ calls: [{ id: "c1", name: "search_knowledge", args: [args] }] }] });
  const frames = await ask(fixture, {
    message: "What of the puppy?",
    agent: { modelPolicy: { provider: "vendor_a", model: "mid" } },
  });
  const chats = mock.requests.filter(({ path }) => path.endsWith("/chat/completions"));
  const { name, description } = chats[0]!.body.tools[0].function;
  assertEquals(name, "search_knowledge");
  assertMatch(description, /instruction/);
  assertMatch(JSON.stringify(onlyFrame(frames, "tool_result").output), /hound barks/);
  const toolMessage = chats[1]!.body.messages.at(-1);
  assertEquals([toolMessage.role, toolMessage.tool_call_id], ["tool", "c1"]);
  assertMatch(toolMessage.content, /hound barks/);
});
