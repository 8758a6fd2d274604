/** Random sequences of events against the rules of a hand-off. */
import { assert, assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { type HandoffHead, isHeld } from "./handoff_record.ts";
import { decideHandoff, type HandoffEvent } from "./handoff_transition.ts";
import { type HandoffWriter, nextHead, writeHandoff } from "./write_handoff.ts";

const NAME = { tenant: "t", id: "c", agentId: "a", page: "" };
const WAIT_MS = 100;
const SEQUENCES = 400;
const LENGTH = 40;

const PEOPLE = ["anna", "ben"].map((id) => ({ id, name: id }));

function randomEvent(random: () => number, now: number): HandoffEvent {
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)]!;
  const person = pick(PEOPLE);
  return pick<() => HandoffEvent>([
    () => ({
      type: "request",
      by: pick(["model", "visitor"] as const),
      isOpen: random() < 0.8,
      answerBy: now + WAIT_MS,
      form: random() < 0.5,
    }),
    () => ({ type: "take", person }),
    () => ({ type: "say", userId: person.id, text: "x" }),
    () => ({
      type: "visitor",
      texts: ["x", "y"].slice(0, 1 + Math.floor(random() * 2)),
      runId: "r",
    }),
    () => ({ type: pick(["return", "close"] as const) }),
    () => ({ type: "contact", email: "a@b.de", message: "x" }),
    () => ({ type: "expire" }),
    () => ({ type: "switch_off" }),
  ])();
}

Deno.test("decideHandoff: keeps its rules over random sequences of events", () => {
  const random = seeded(20261124);
  const content = contentCipher();
  const seen = new Set<string>();
  for (let run = 0; run < SEQUENCES; run++) {
    let head: HandoffHead | undefined;
    let now = 1_000;
    const store = new Map<string, unknown>();
    const writer: HandoffWriter = {
      set: (key, value) => store.set(JSON.stringify(key), value),
      delete: (key) => store.delete(JSON.stringify(key)),
    };
    for (let step = 0; step < LENGTH; step++) {
      now += Math.floor(random() * WAIT_MS / 2);
      const event = randomEvent(random, now);
      const before = head;
      const wasHeld = isHeld(before, now);
      const decided = decideHandoff(before, event, now);
      if (!("entries" in decided)) {
        seen.add(`${event.type} rejected`);
        // Nobody may be locked out: while someone has it, it can be handed back and closed.
        if (wasHeld) assert(!["visitor", "return", "close"].includes(event.type), event.type);
        continue;
      }
      const created = { feed: "f", days: 30 };
      const write = { name: NAME, before, change: decided, now, content, created };
      head = writeHandoff(writer, write);
      assertEquals(head, nextHead(write));
      seen.add(`${before?.state ?? "none"} ${event.type} ${head.state}`);
      assertEquals(head.next, (before?.next ?? 1) + decided.entries.length);
      assert(decided.entries.length > 0);
      if (event.type === "visitor" || event.type === "say") {
        assert(wasHeld);
        assertEquals(head.state, before?.state);
      }
      if (event.type === "say") assertEquals(before?.person?.id, event.userId);
      if (event.type === "take") assert(before?.state === "waiting" && now < before.answerBy);
      if (head.state === "taken") assert(head.person !== undefined);
      if (event.type === "contact") {
        const isOverdue = before?.state === "waiting" && now >= before.answerBy;
        assert(before?.contact === "open" || (isOverdue && before?.form));
        assertEquals(head.contact, "left");
      }
      // What a visitor left is only gone after a person dealt with it.
      if (before?.contact === "left" && head.contact !== "left") assertEquals(event.type, "close");
      const isQueued = ["waiting", "taken"].includes(head.state) || head.contact === "left";
      assertEquals(head.queuedAt !== undefined, isQueued);
      const queued = [...store.keys()].filter((key) => key.includes("handoff_queue"));
      assertEquals(queued.length, isQueued ? 1 : 0);
      const numbers = [...store.keys()].filter((key) => key.includes("handoff_entries"));
      assertEquals(numbers.length, head.next - 1);
    }
  }
  // The sequences reach every kind of transition.
  for (
    const transition of [
      ...["none request waiting", "none request returned", "waiting take taken", "taken say taken"],
      ...["waiting visitor waiting", "taken visitor taken", "taken return returned"],
      ...["waiting expire returned", "waiting switch_off returned", "returned contact returned"],
      ...["returned request waiting", "closed request waiting", "waiting close closed"],
      ...["take rejected", "say rejected", "contact rejected", "visitor rejected"],
    ]
  ) assert(seen.has(transition), transition);
});
