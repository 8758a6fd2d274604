import type { Answered } from "../api_document.ts";
import { ORIGIN } from "../widget_calls.ts";
import type { SeededRandom } from "./seeded_random.ts";
import type { Hints } from "./schema_values.ts";

/** Maximum number of remembered names; the oldest are dropped first. */
const KEPT = 40;

export interface KnownSession {
  token: string;
  agentId: string;
}

/** Known resources: given at the start, learned from responses, and used in later requests. */
export class FuzzContext {
  readonly agents: string[];
  readonly sessions: KnownSession[];
  /** With an agent that no request changes. */
  readonly lasting: KnownSession[];
  readonly cursors: string[] = ["AAAA"];
  readonly conversations: string[] = [crypto.randomUUID()];
  /** Sessions with a conversation of their own. */
  readonly owners: { session: KnownSession; id: string }[] = [];
  /** Facts that an agent remembers, each with a session of its visitor. */
  readonly facts: { session: KnownSession; id: string }[];
  /** With an agent whose visitors may ask for a person. */
  readonly handedOver: string[];
  readonly bases: string[] = [crypto.randomUUID()];
  /** Pairs of `[base, document]`. */
  readonly documents: [string, string][] = [[crypto.randomUUID(), crypto.randomUUID()]];
  readonly attachments: string[] = [crypto.randomUUID()];
  readonly erasures: string[] = [crypto.randomUUID()];
  readonly runs: string[] = [crypto.randomUUID()];
  /** A key with every scope, and one without any required scope. */
  readonly keys: { good: string; weak: string };
  /** Hashes of the existing scripts. */
  readonly hashes: string[];
  readonly ownOrigin: string;

  constructor(
    parts: {
      keys: FuzzContext["keys"];
      agents: string[];
      sessions: KnownSession[];
      lasting: KnownSession[];
      hashes: string[];
      facts: FuzzContext["facts"];
      handedOver: string[];
      ownOrigin: string;
    },
  ) {
    this.keys = parts.keys;
    this.agents = parts.agents;
    this.sessions = parts.sessions;
    this.lasting = parts.lasting;
    this.hashes = parts.hashes;
    this.facts = parts.facts;
    this.handedOver = parts.handedOver;
    this.ownOrigin = parts.ownOrigin;
  }

  /** Remembers the resources in a response. */
  learn(
    operationId: string,
    { status, headers, text }: Answered,
    { agentId, session }: { agentId?: string | undefined; session?: KnownSession | undefined },
  ): void {
    const own = session && status === 200 && /"conversationId":"([^"]+)"/.exec(text)?.[1];
    if (session && own) keep(this.owners, { session, id: own });
    const runId = headers.get("x-run-id");
    if (runId !== null) keep(this.runs, runId);
    if (status >= 300 || !headers.get("content-type")?.startsWith("application/json")) return;
    const body = JSON.parse(text);
    if (operationId === "createAgent") keep(this.agents, body.id);
    if (operationId === "createKnowledgeBase") keep(this.bases, body.id);
    if (operationId === "uploadAttachment") keep(this.attachments, body.id);
    if (operationId === "eraseVisitor") keep(this.erasures, body.id);
    if (operationId === "createDocument") {
      const [, , , base, , id] = headers.get("location")!.split("/");
      keep(this.documents, [base!, id!]);
    }
    if (operationId === "listConversations") {
      for (const { id } of body.data) keep(this.conversations, id);
    }
    if (body.nextCursor !== undefined) keep(this.cursors, body.nextCursor);
    if (body.sessionToken !== undefined && agentId !== undefined) {
      keep(this.sessions, { token: body.sessionToken, agentId });
    }
  }

  /** Most of the other agents lose the page of their sessions sooner or later. */
  pickSession(dice: SeededRandom): KnownSession {
    return dice.pick(dice.chance(0.3) ? this.lasting : this.sessions);
  }

  /** Values for fields that a schema does not fully describe. */
  hints(): Hints {
    return {
      model: () => "demo",
      agentId: (dice) =>
        dice.chance(0.2) ? dice.pick(this.lasting).agentId : dice.pick(this.agents),
      sessionToken: (dice) => dice.chance(0.5) ? dice.pick(this.sessions).token : undefined,
      knowledgeBaseId: () => undefined,
      // Nothing signs the calls of a bound session.
      bind: (dice) => dice.chance(0.1) ? true : undefined,
      // Hardly ever a run of the message's conversation.
      replaces: (dice) => dice.chance(0.1) ? dice.pick(this.runs) : undefined,
      url: () => "https://api.example.com/items",
      parameters: () => ({ type: "object", properties: { q: { type: "string" } } }),
      allowedDomains: () => ["api.example.com"],
      allowedOrigins: () => [ORIGIN],
      messages: conversation,
    };
  }
}

/** Ends with a user message, which is occasionally a tool call for the demo model. */
function conversation(dice: SeededRandom): unknown[] {
  const turns = Array.from({ length: dice.int(0, 3) }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: dice.pick(["Hello", "日本語", "a\nb", "…"]),
  }));
  const asked = dice.pick(["Hello", `use lookup with {"q":"x"}`, "use nothing with {broken}", "…"]);
  return [...turns, { role: "user", content: asked }];
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > KEPT) list.shift();
}
