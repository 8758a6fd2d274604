import { assertEquals } from "@std/assert";
import { type Answer, endsOf } from "../answer.ts";
import type { Fleet } from "../fleet.ts";
import { FleetTenant, MESSAGE_COST, MESSAGE_TOKENS } from "../fleet_tenant.ts";

/** How long the store is unreachable, milliseconds. */
const AWAY_MS = 3_000;
/** Runs that wait for their model when the outage begins, and messages sent during it. */
const UNDER_WAY = 12;
const SENT_MEANWHILE = 9;
/** A run that ended without the store is settled within this many milliseconds. */
const SETTLED_MS = 30_000;

/**
 * The store fails during runs, runs end without it, messages are sent, and it recovers: every message
 * is answered once and charged once.
 */
export async function outage(fleet: Fleet): Promise<void> {
  const tenant = await FleetTenant.create(fleet);
  const gate = fleet.vendor.gate();
  const under = Array.from({ length: UNDER_WAY }, (_, n) => {
    return new Message(fleet, { tenant, n, text: gate.message });
  });
  await Promise.all(under.map((message) => message.send()));
  const bringBack = await fleet.interruptStore();
  const meanwhile = Array.from({ length: SENT_MEANWHILE }, (_, n) => {
    return new Message(fleet, { tenant, n });
  });
  const answered = meanwhile.map((message) => message.untilDone());
  gate.open();
  const ended = under.map((message) => message.untilDone());
  await fleet.pass(AWAY_MS);
  await bringBack();
  await Promise.all([...answered, ...ended]);
  const messages = UNDER_WAY + SENT_MEANWHILE;
  const runs = [...under, ...meanwhile].map(({ answer }) => answer!);
  assertEquals(await endsOf(runs), { stop: messages });
  const cost = messages * MESSAGE_COST;
  // A run whose end the store did not take for so long is charged with one of the next heartbeats.
  await fleet.within(SETTLED_MS, async () => await tenant.cost() === cost);
  for (const process of fleet.processes) {
    const usage = await tenant.usage(process);
    assertEquals(Math.round(usage.costUsd * 1e6), cost);
    assertEquals([usage.outputTokens, usage.activeStreams], [messages * MESSAGE_TOKENS, 0]);
    assertEquals(await tenant.recorded(process), { runs: usage.runs, cost });
  }
}

/** A message that its client sends, and resumes, until it has been answered. */
class Message {
  readonly #fleet: Fleet;
  readonly #of: { tenant: FleetTenant; n: number; text?: string };
  readonly #key = crypto.randomUUID();
  #answer: Answer | undefined;

  constructor(fleet: Fleet, of: { tenant: FleetTenant; n: number; text?: string }) {
    this.#fleet = fleet;
    this.#of = of;
  }

  get answer(): Answer | undefined {
    return this.#answer;
  }

  async send(): Promise<void> {
    const { tenant, n, text } = this.#of;
    const { processes } = this.#fleet;
    const of = { idempotencyKey: this.#key, ...text === undefined ? {} : { text } };
    const answer = await tenant.send(processes[n % processes.length]!, of);
    if (answer.outcome === "200") this.#answer = answer;
    else assertEquals(answer.outcome, "503 service_unavailable");
  }

  async untilDone(): Promise<void> {
    while (await this.#answer?.ended !== "done") {
      await this.#fleet.pause();
      if (this.#answer === undefined) await this.send();
      else await this.#resume(this.#answer.runId);
    }
  }

  /** At the process after the one that the message was sent to. */
  async #resume(runId: string): Promise<void> {
    const { processes } = this.#fleet;
    const process = processes[(this.#of.n + 1) % processes.length]!;
    const answer = await this.#of.tenant.follow(process, runId);
    if (answer.outcome === "200") this.#answer = answer;
  }
}
