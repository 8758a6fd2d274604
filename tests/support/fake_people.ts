import type { FeedFrame, HandoffStatus } from "../../lib/schemas/handoff.ts";
import type { FakeChat, RecordedRequest } from "./fake_chat.ts";

type Status = Omit<HandoffStatus, "conversationId">;

/** The hand-off routes for a `FakeChat`, whose person does what the test says. */
export class FakePeople {
  status: Status = { offered: true, state: "none", form: false };
  /** What the next request for a person leads to. */
  next: Partial<Status> = {
    state: "waiting",
    message: "A colleague will answer soon.",
    requestedAt: "2026-11-25T09:00:00.000Z",
    answerBy: "2026-11-25T09:05:00.000Z",
  };
  /** Statuses of responses in place of what is asked for, by `<method> <end of the path>`; each once. */
  readonly refusals: [call: string, status: number][] = [];
  #events: { n: number; frame: FeedFrame }[] = [];
  #polls = new Set<() => void>();
  #isClosed = false;
  #waiting = Promise.withResolvers<void>();

  constructor(chat: FakeChat) {
    chat.other = (seen) => this.#answer(seen);
  }

  /** The visitor, or the model, asks for a person. */
  request(): void {
    Object.assign(this.status, this.next);
    this.#write({ type: "state", state: this.next.state as "waiting", form: this.status.form });
  }

  take(person: string): void {
    this.#move({ state: "taken", person });
  }

  say(text: string): void {
    const { person } = this.status;
    this.#write({ type: "message", text, person: person!, at: "2026-11-25T09:01:00.000Z" });
  }

  /** Reaches only a poll that waits. */
  async type(): Promise<void> {
    if (this.#polls.size === 0) await this.#waiting.promise;
    this.#write({ type: "typing" });
  }

  end(state: "returned" | "closed" = "returned"): void {
    this.#move({ state });
  }

  #move(change: Partial<Status>): void {
    Object.assign(this.status, change);
    const { state, person, form } = this.status;
    this.#write({ type: "state", state: state as "taken", form, ...person && { person } });
  }

  #write(frame: FeedFrame): void {
    this.#events.push({ n: this.#events.length + 1, frame });
    this.#wake();
    // It is not stored.
    if (frame.type === "typing") this.#events.pop();
  }

  async #answer({ method, path, after }: RecordedRequest): Promise<Response | undefined> {
    const [, id, verb] = /conversations\/([^/]+)\/(\w+)/.exec(path) ?? [];
    if (id === undefined) return undefined;
    const at = this.refusals.findIndex(([call]) => call === `${method} ${verb}`);
    if (at >= 0) return new Response("{}", { status: this.refusals.splice(at, 1)[0]![1] });
    if (verb === "stream") return await this.#poll(id, Number(after?.split(".")[1] ?? 0));
    if (verb === "contact") this.status.form = false;
    if (verb !== "handoff") return new Response(null, { status: 204 });
    if (method === "POST") this.request();
    return Response.json({ conversationId: id, ...this.status });
  }

  async #poll(id: string, after: number): Promise<Response> {
    const rest = () => this.#events.filter(({ n }) => n > after);
    const isOver = this.status.state === "returned" || this.status.state === "closed";
    if (!rest()[0] && (isOver || this.#isClosed)) return new Response(null, { status: 204 });
    let found = rest();
    if (!found[0]) {
      await new Promise<void>((resolve) => {
        // At once, so that typing is not missed.
        this.#polls.add(() => {
          found = rest();
          resolve();
        });
        this.#waiting.resolve();
      });
    }
    const text = found.map(({ n, frame }) =>
      `${frame.type === "typing" ? "" : `id: ${id}.${n}\n`}event: ${frame.type}\n` +
      `data: ${JSON.stringify(frame)}\n\n`
    ).join("");
    return new Response(text, { headers: { "content-type": "text/event-stream" } });
  }

  /** Answers the polls that wait, and those that come: the page may be slower to end than the test. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#polls) wake();
    this.#polls.clear();
    this.#waiting = Promise.withResolvers();
  }
}
