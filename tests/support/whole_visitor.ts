import { assertEquals } from "@std/assert";
import type { ConversationName } from "@/lib/store/keys/keys.ts";
import { ended } from "./conversations.ts";
import { expectJson } from "./expect_response.ts";
import { expiringKv } from "./expiring_kv.ts";
import { HANDOFF } from "./handoffs.ts";
import { makePng } from "./make_image.ts";
import { openTestKv } from "./open_kv.ts";
import { type PausableRuntime, pausableRuntime } from "./pausable_runtime.ts";
import { TestService } from "./service.ts";
import { SseText } from "./sse_text.ts";
import { chat, ORIGIN, say } from "./widget_calls.ts";

const BLOG = "https://blog.example.com";
const MINUTE_MS = 60_000;
/** The person who answers. */
export const PERSON = { id: crypto.randomUUID(), name: "Anna" };

export type Place = { agentId: string; origin: string };

/** Two processes on one store, with two agents that two pages embed, of the default tenant or a new one. */
export async function openProcesses(
  { tenantName, env = {} }: { tenantName?: string; env?: Record<string, string> } = {},
) {
  const kv = await openTestKv();
  const time = pausableRuntime();
  time.release();
  const expiring = expiringKv(kv, time.runtime.now);
  const start = (store = expiring.kv) =>
    TestService.start({ kv: store, keepKv: true, runtime: time.runtime, env });
  const [service, other] = [await start(), await start()];
  const tenant = tenantName === undefined
    ? await service.tenant()
    : (await service.service.tenants.create(tenantName)).id;
  const key = await service.key(["agents:write", "widget:mint", "conversations:write"], tenant);
  const change = {
    ...{ allowedOrigins: [ORIGIN, BLOG], handoff: HANDOFF },
    attachments: { images: true, documents: true },
    memory: { enabled: true },
  };
  const agents = [await service.agent(key, change), await service.agent(key, change)];
  const places = agents.flatMap(({ id }) =>
    [ORIGIN, BLOG].map((origin): Place => ({ agentId: id, origin }))
  );
  return {
    ...{ kv, time, service, other, key, places, start, tenant },
    /** Moves the clock, and deletes what has expired. */
    async advance(ms: number) {
      time.advance(ms);
      await expiring.expire();
    },
    async [Symbol.asyncDispose]() {
      time.release();
      await service[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

export type Processes = Awaited<ReturnType<typeof openProcesses>>;

/** What one visitor does in one place. */
export class PageVisitor {
  readonly #of: Processes;
  readonly place: Place;
  readonly token: string;

  constructor(of: Processes, place: Place, token: string) {
    this.#of = of;
    this.place = place;
    this.token = token;
  }

  static async mint(of: Processes, id: string, place: Place): Promise<PageVisitor> {
    const minted = await of.service.fetch("/v1/widget/session", {
      ...{ method: "POST", key: of.key, headers: { origin: place.origin } },
      json: { agentId: place.agentId, visitor: { id } },
    });
    return new PageVisitor(of, place, (await expectJson(minted, 201)).sessionToken);
  }

  get headers() {
    return { "x-service-session": this.token, origin: this.place.origin };
  }

  send(
    content: string,
    { on = this.#of.service, attachments, conversationId }: {
      on?: TestService;
      attachments?: string[];
      conversationId?: string;
    } = {},
  ): Promise<Response> {
    const messages = [{ ...say(content), ...attachments && { attachments } }];
    return chat(on, { id: this.place.agentId }, {
      ...{ sessionToken: this.token },
      headers: { ...this.headers, "idempotency-key": `key-of-${crypto.randomUUID()}` },
      body: { messages, ...conversationId !== undefined && { conversationId } },
    });
  }

  fetch(path: string, method: string, json?: unknown): Promise<Response> {
    const { headers } = this;
    return this.#of.service.fetch(path, { method, headers, ...json !== undefined && { json } });
  }

  async upload(name: string): Promise<string> {
    const body = new FormData();
    body.set("file", new File([makePng()], name, { type: "image/png" }));
    const sent = await this.#of.service.fetch("/v1/chat/attachments", {
      ...{ method: "POST", body, headers: this.headers },
    });
    return (await expectJson(sent, 201)).id;
  }
}

/** Everything that a visitor can have, with all ids that name it. */
export async function liveThrough(of: Processes, visitorId: string) {
  const { service, other, time, tenant } = of;
  const pages: PageVisitor[] = [];
  for (const place of of.places) pages.push(await PageVisitor.mint(of, visitorId, place));
  const ids: string[] = [];
  const keep = <T extends string>(...more: T[]) => void ids.push(...more);
  const [first, second, third, fourth] = pages as [
    PageVisitor,
    PageVisitor,
    PageVisitor,
    PageVisitor,
  ];
  const ask = async (page: PageVisitor, ...rest: Parameters<PageVisitor["send"]>) => {
    const { runId, id } = await ended(await page.send(...rest));
    keep(runId, id);
    return { runId, id };
  };
  const contact = await ask(third, "xylophone, is anyone there?");
  const path = (id: string, what: string) => `/v1/chat/conversations/${id}/${what}`;
  await expectJson(await third.fetch(path(contact.id, "handoff"), "POST"), 200);
  time.advance(6 * MINUTE_MS);
  const details = { email: "ada@shop.example", message: "xylophone, call me" };
  const left = await third.fetch(path(contact.id, "contact"), "POST", details);
  assertEquals(left.status, 204);
  await act(service, tenant, { ...third.place, id: contact.id }, "close");

  const used = await first.upload("xylophone.png");
  keep(used, await first.upload("unused.png"), await fourth.upload("unused.png"));
  const rated = await ask(first, "Look at my xylophone", { attachments: [used] });
  await ask(first, `More of ${"xylophone ".repeat(2_000)}`, { conversationId: rated.id });
  const feedback = { rating: "down", comment: "No xylophone", reasons: ["tone"] };
  const given = await first.fetch(`/v1/chat/runs/${rated.runId}/feedback`, "PUT", feedback);
  assertEquals(given.status, 204);
  await ask(first, "Please remember that I own a xylophone");
  await ask(second, "Please remember that I own another xylophone");
  const waiting = await ask(second, "xylophone, please wait");
  await expectJson(await second.fetch(path(waiting.id, "handoff"), "POST"), 200);
  const taken = await ask(fourth, "xylophone, a person");
  await expectJson(await fourth.fetch(path(taken.id, "handoff"), "POST"), 200);
  const name = await act(service, tenant, { ...fourth.place, id: taken.id }, "take");
  keep((await ended(await fourth.send("xylophone!", { conversationId: taken.id }))).runId);
  assertEquals((await fourth.fetch(path(taken.id, "typing"), "POST")).status, 204);
  const running = [await begin(first, time, service), await begin(third, time, other)];
  for (const { runId, conversationId } of running) keep(runId, conversationId);
  const asked = await third.fetch(path(running[1]!.conversationId, "handoff"), "POST");
  await expectJson(asked, 200);
  return { ids, pages, rated, waiting, taken: { ...taken, name }, running };
}

/** A run that pauses after its first word, with a file that only it uses. */
async function begin(page: PageVisitor, time: PausableRuntime, on: TestService) {
  const file = await page.upload("running.png");
  time.hold();
  const stream = new SseText(await page.send("A long xylophone", { on, attachments: [file] }));
  await stream.until("event: delta");
  // This run stays where it is, and later ones go on.
  time.hold();
  time.release();
  const { runId, conversationId } = stream.frame("start");
  return { runId, conversationId, file, stream };
}

async function act(
  { service: { handoffs } }: TestService,
  tenant: string,
  { id, agentId, origin }: Place & { id: string },
  type: "take" | "close",
): Promise<ConversationName> {
  const { name } = (await handoffs.locate(tenant, id, { agentId, origin }))!;
  const event = type === "take" ? { type, person: PERSON } as const : { type } as const;
  const head = await handoffs.act(name, event);
  assertEquals(head?.state, type === "take" ? "taken" : "closed");
  return name;
}
