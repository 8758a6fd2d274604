import { assertEquals } from "@std/assert";
import { DEFAULT_PLAN, type LimitOverrides } from "@/lib/store/tenants/tenant_store.ts";
import type { UsageReport } from "@/lib/schemas/usage.ts";
import { agentBody } from "../service.ts";
import { type Fleet, type FleetProcess, TOKEN_COST } from "./fleet.ts";
import { AT_ONCE } from "./fleet_provider.ts";
import { type Answer, endsOf, nextAddress, outcomes, readAnswer } from "./answer.ts";

/** Default output tokens of a message. */
export const MESSAGE_TOKENS = 100;
/** Reservation and cost of such a message, in micro-USD. */
export const MESSAGE_COST = MESSAGE_TOKENS * TOKEN_COST;

/** Messages in parallel: fewer than a tenant has slots. */
const CONTENDING_RUNS = 9;
const CONTENDING_ROUNDS = 3;
/** What it costs to have processes conflict over a tenant, in micro-USD. */
export const CONTENDING_COST = CONTENDING_ROUNDS * CONTENDING_RUNS * MESSAGE_COST;

/** The allowed origin of a tenant's agent. */
const PAGE = "https://shop.example";

/** Only the limit that a scenario tests rejects requests. */
const OPEN: LimitOverrides = { ipMessages: 6_000, keyRequests: 6_000, streams: 500 };

export interface Message {
  /** Decides how the provider answers; immediately by default. */
  text?: string;
  /** The conversation to continue; a new one by default. */
  conversationId?: string | undefined;
  /** A visitor's session instead of the API key. */
  session?: string;
  /** `Idempotency-Key`, which makes a retry safe. */
  idempotencyKey?: string;
  /** The client's address; by default one that no other request uses. */
  address?: string;
}

/** A tenant of a fleet with an agent and keys, so that scenarios on one fleet do not affect each other. */
export class FleetTenant {
  readonly #fleet: Fleet;
  readonly id: string;
  /** The key that chats, and reads agents. */
  readonly key: string;
  readonly #readerKey: string;
  readonly agentId: string;

  private constructor(
    fleet: Fleet,
    of: { id: string; key: string; readerKey: string; agentId: string },
  ) {
    this.#fleet = fleet;
    this.id = of.id;
    this.key = of.key;
    this.#readerKey = of.readerKey;
    this.agentId = of.agentId;
  }

  /** Creates a tenant with `limits` and no other limits; one given as `undefined` has its default. */
  static async create(
    fleet: Fleet,
    limits: { [name in keyof LimitOverrides]: number | undefined } = {},
  ): Promise<FleetTenant> {
    const { tenants, apiKeys } = fleet.operator;
    const { id } = await tenants.create("fleet", planOf(limits));
    const { secret: readerKey } = await apiKeys.create(id, {
      name: "reader",
      scopes: ["agents:write", "widget:mint", "billing:read", "conversations:read"],
    });
    const { secret: key } = await apiKeys.create(id, { name: "chat", scopes: ["agents:write"] });
    const agentId = await createAgent(fleet.processes[0]!, readerKey);
    return new FleetTenant(fleet, { id, key, readerKey, agentId });
  }

  /** Changes the plan, as the operator does while everything runs. */
  async setLimits(limits: LimitOverrides): Promise<void> {
    assertEquals(await this.#fleet.operator.tenants.setPlan(this.id, planOf(limits)), true);
  }

  /** Sends one message through a process. */
  async send(process: FleetProcess, message: Message = {}): Promise<Answer> {
    const { text = AT_ONCE, conversationId, session, idempotencyKey } = message;
    const { address = nextAddress() } = message;
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "x-forwarded-for": address,
      ...session === undefined
        ? { authorization: `Bearer ${this.key}` }
        : { "x-service-session": session, origin: PAGE },
      ...idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
    };
    const body = JSON.stringify({
      agentId: this.agentId,
      messages: [{ role: "user", content: text }],
      maxOutputTokens: MESSAGE_TOKENS,
      ...conversationId === undefined ? {} : { conversationId },
      ...session === undefined ? {} : { sessionToken: session },
    });
    const url = `${process.url}/v1/chat/stream`;
    return await readAnswer(await fetch(url, { method: "POST", headers, body }));
  }

  /** Sends `count` messages at once, round-robin over the processes. */
  async sendAll(
    count: number,
    { through = this.#fleet.processes, ...message }: Message & {
      through?: readonly FleetProcess[];
    } = {},
  ): Promise<Answer[]> {
    const all = Array.from({ length: count }, (_, n) => {
      return this.send(through[n % through.length]!, message);
    });
    return await Promise.all(all);
  }

  /**
   * Has all processes serve the tenant at once, so that they conflict over what it has left, and waits
   * until they are idle. It costs `CONTENDING_COST`, and takes 9 slots at a time.
   */
  async contend(): Promise<void> {
    for (let round = 0; round < CONTENDING_ROUNDS; round++) {
      const answers = await this.sendAll(CONTENDING_RUNS);
      assertEquals(await endsOf(answers), { stop: CONTENDING_RUNS });
    }
  }

  /** Sends messages until all are rejected because the daily limit is reached. */
  async spendAll(): Promise<void> {
    while (true) {
      const answers = await this.sendAll(CONTENDING_RUNS);
      const { "200": runs = 0, ...refused } = outcomes(answers);
      await endsOf(answers);
      if (runs > 0) continue;
      return assertEquals(refused, { "429 tenant_daily_cost": CONTENDING_RUNS });
    }
  }

  /** Follows a run from its first frame. */
  async follow(process: FleetProcess, runId: string): Promise<Answer> {
    const url = `${process.url}/v1/chat/runs/${runId}/stream`;
    return await readAnswer(await fetch(url, { headers: this.#headers(this.key) }));
  }

  /** Cancels a run. */
  async cancel(process: FleetProcess, runId: string): Promise<void> {
    const url = `${process.url}/v1/chat/runs/${runId}/cancel`;
    const response = await fetch(url, { method: "POST", headers: this.#headers(this.key) });
    assertEquals(response.status, 202);
    await response.body?.cancel();
  }

  /** A new session for the tenant's page. */
  async mint(process: FleetProcess): Promise<string> {
    const response = await fetch(`${process.url}/v1/widget/session`, {
      method: "POST",
      headers: { ...this.#headers(this.#readerKey), origin: PAGE },
      body: JSON.stringify({ agentId: this.agentId }),
    });
    return (await jsonOf(response)).sessionToken;
  }

  /** One request that is no message, with the chatting key. */
  async read(process: FleetProcess, address = nextAddress()): Promise<string> {
    const headers = { ...this.#headers(this.key), "x-forwarded-for": address };
    const response = await fetch(`${process.url}/v1/agents/${this.agentId}`, { headers });
    const body = await response.json();
    return response.status === 200 ? "200" : `${response.status} ${body.details?.scope}`;
  }

  /** `GET /v1/usage` of today, or of the days `from` to `to`. */
  async usage(process: FleetProcess, query = ""): Promise<UsageReport> {
    const headers = this.#headers(this.#readerKey);
    return await jsonOf(await fetch(`${process.url}/v1/usage${query}`, { headers }));
  }

  /** What was charged today, in micro-USD. */
  async cost(process: FleetProcess = this.#fleet.processes[0]!): Promise<number> {
    return Math.round((await this.usage(process)).costUsd * 1_000_000);
  }

  /** Runs that take a slot, as each process counts them. */
  async activeStreams(): Promise<number[]> {
    const all = this.#fleet.processes.map((process) => this.usage(process));
    return (await Promise.all(all)).map(({ activeStreams }) => activeStreams);
  }

  /** Totals of the records of settled runs: how many, and their cost in micro-USD. */
  async recorded(process: FleetProcess): Promise<{ runs: number; cost: number }> {
    const headers = this.#headers(this.#readerKey);
    const url = `${process.url}/v1/conversations?limit=100`;
    const { data } = await jsonOf(await fetch(url, { headers }));
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    return {
      runs: sum(data.map(({ runCount }: { runCount: number }) => runCount)),
      cost: Math.round(
        sum(data.map(({ costUsd }: { costUsd: number }) => costUsd)) * 1_000_000,
      ),
    };
  }

  #headers(key: string): Record<string, string> {
    return {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-forwarded-for": nextAddress(),
    };
  }
}

function planOf(limits: { [name in keyof LimitOverrides]: number | undefined }) {
  const given = Object.entries({ ...OPEN, ...limits }).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_PLAN, limits: Object.fromEntries(given) as LimitOverrides };
}

async function createAgent(process: FleetProcess, key: string): Promise<string> {
  const body = {
    ...agentBody(),
    modelPolicy: { provider: "vendor_b", model: "mid" },
    // Longer than any scenario holds a run.
    budget: { maxCostUsd: 1, maxSteps: 4, wallClockMs: 120_000 },
    allowedOrigins: [PAGE],
  };
  const response = await fetch(`${process.url}/v1/agents`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "x-forwarded-for": nextAddress(),
    },
    body: JSON.stringify(body),
  });
  return (await jsonOf(response)).id;
}

// deno-lint-ignore no-explicit-any -- a test inspects any response
async function jsonOf(response: Response): Promise<any> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return await response.json();
}
