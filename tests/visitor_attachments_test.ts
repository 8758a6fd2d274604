/** Files of sessions that name their visitor: they belong to the visitor, as conversations do. */
import { assertEquals } from "@std/assert";
import { SESSION_TTL_MS } from "@/lib/schemas/limits.ts";
import type { ValidationIssue } from "@/lib/schemas/error_codes.ts";
import { download, upload } from "./support/attachments.ts";
import { ended } from "./support/conversations.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { makePng } from "./support/make_image.ts";
import { TestService } from "./support/service.ts";
import { chat, ORIGIN, say } from "./support/widget_calls.ts";

const OTHER_PAGE = "https://blog.example.com";

interface MintOptions {
  /** Without one, the session names nobody. */
  id?: string;
  agentId?: string;
  origin?: string;
}

/** A service with two agents that take files on two pages, and sessions for their visitors. */
async function open() {
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime });
  const key = await service.key(["agents:write", "widget:mint", "conversations:write"]);
  const takesFiles = {
    allowedOrigins: [ORIGIN, OTHER_PAGE],
    attachments: { images: true, documents: true },
  };
  const agent = await service.agent(key, takesFiles);
  const otherAgent = await service.agent(key, takesFiles);
  const mint = async ({ id, agentId = agent.id, origin = ORIGIN }: MintOptions) => {
    const minted = await service.fetch("/v1/widget/session", {
      method: "POST",
      key,
      json: { agentId, ...id !== undefined && { visitor: { id } } },
      headers: { origin },
    });
    const { sessionToken } = await expectJson(minted, 201);
    return { sessionToken: sessionToken as string, agentId, origin };
  };
  type TestSession = Awaited<ReturnType<typeof mint>>;
  /** Asks about a file, in a conversation if given. */
  const ask = (session: TestSession, file: string, conversationId?: string) => {
    const { sessionToken, agentId, origin } = session;
    const body = {
      messages: [{ ...say("Look"), attachments: [file] }],
      ...conversationId !== undefined && { conversationId },
    };
    return chat(service, { id: agentId }, { sessionToken, headers: { origin }, body });
  };
  const read = ({ sessionToken, origin }: TestSession, file: string) =>
    service.fetch(`/v1/chat/attachments/${file}`, {
      headers: { "x-service-session": sessionToken, origin },
    });
  return {
    ...{ service, key, otherAgent, mint, ask, read, advance },
    /** Strangers to what Ada has on `ORIGIN` with the first agent. */
    strangers: async (): Promise<Record<string, TestSession>> => ({
      "another visitor": await mint({ id: "bob" }),
      "a session without a visitor": await mint({}),
      "the visitor on another page": await mint({ id: "ada", origin: OTHER_PAGE }),
      "the visitor with another agent": await mint({ id: "ada", agentId: otherAgent.id }),
    }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function expectUnknown(response: Response, message: string): Promise<void> {
  const { details } = await expectError(response, "schema_validation_failed");
  const issues = details!.issues as ValidationIssue[];
  assertEquals(issues.map(({ code }) => code), ["attachment_not_found"], message);
}

Deno.test("attachments: every live session of the visitor uses and reads what one has uploaded, in any conversation", async () => {
  await using on = await open();
  const file = await upload(on.service, await on.mint({ id: "ada" }), { bytes: makePng() });
  const second = await on.mint({ id: "ada" });
  const read = await on.read(second, file.id);
  assertEquals([read.status, (await read.bytes()).length], [200, file.bytes]);
  const { id } = await ended(await on.ask(second, file.id));
  await ended(await on.ask(await on.mint({ id: "ada" }), file.id, id));
  await ended(await on.ask(await on.mint({ id: "ada" }), file.id, crypto.randomUUID()));
});

Deno.test("attachments: no other visitor, page, agent or unnamed session uses or reads those of a visitor", async (t) => {
  await using on = await open();
  const ada = await on.mint({ id: "ada" });
  const file = await upload(on.service, ada, { bytes: makePng() });
  // The strangers even know the conversation that uses the file.
  const { id: conversationId } = await ended(await on.ask(ada, file.id));
  for (const [name, stranger] of Object.entries(await on.strangers())) {
    await t.step(name, async () => {
      await expectError(await on.read(stranger, file.id), "not_found");
      await expectUnknown(await on.ask(stranger, file.id), name);
      await expectUnknown(await on.ask(stranger, file.id, conversationId), name);
    });
  }
  await t.step("an API key", async () => {
    const credential = { key: on.key, agentId: ada.agentId };
    await expectError(await download(on.service, credential, file.id), "not_found");
  });
});

Deno.test("attachments: a named visitor does not get those of sessions without one", async () => {
  await using on = await open();
  const unnamed = await on.mint({});
  const file = await upload(on.service, unnamed, { bytes: makePng() });
  const { id: conversationId } = await ended(await on.ask(unnamed, file.id));
  const ada = await on.mint({ id: "ada" });
  await expectError(await on.read(ada, file.id), "not_found");
  await expectUnknown(await on.ask(ada, file.id, conversationId), "another namespace");
  await ended(await on.ask(await on.mint({}), file.id, conversationId));
});

Deno.test("attachments: an expired session reads what it uploaded, and nothing else of its visitor", async () => {
  await using on = await open();
  const [first, second] = [await on.mint({ id: "ada" }), await on.mint({ id: "ada" })];
  const file = await upload(on.service, first, { bytes: makePng() });
  on.advance(SESSION_TTL_MS);
  assertEquals((await on.read(first, file.id)).status, 200);
  await expectError(await on.read(second, file.id), "not_found");
  assertEquals((await on.read(await on.mint({ id: "ada" }), file.id)).status, 200);
});

Deno.test("attachments: deleting one visitor's conversation erases only its files, though another's has the same id", async () => {
  await using on = await open();
  const conversationId = crypto.randomUUID();
  const files: Record<string, string> = {};
  for (const id of ["ada", "bob"]) {
    const session = await on.mint({ id });
    files[id] = (await upload(on.service, session, { bytes: makePng() })).id;
    await ended(await on.ask(session, files[id], conversationId));
  }
  const deleted = await on.service.fetch(`/v1/conversations/${conversationId}?visitorId=ada`, {
    method: "DELETE",
    key: on.key,
  });
  assertEquals(deleted.status, 204);
  await expectError(await on.read(await on.mint({ id: "ada" }), files.ada!), "not_found");
  assertEquals((await on.read(await on.mint({ id: "bob" }), files.bob!)).status, 200);
});
