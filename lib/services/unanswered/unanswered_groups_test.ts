import { assertEquals } from "@std/assert";
import { SeededRandom } from "@/tests/support/fuzz/seeded_random.ts";
import { toGroups } from "./unanswered_groups.ts";

const WORDINGS = [
  ["How do I reset my password?", "I forgot my login credentials"],
  ["Do you ship abroad?", "Which countries are parcels sent to?"],
];
const OTHERS = [
  ...["Is there parking?", "Who founded the company?", "Can dogs come along?", "Any vegan cake?"],
  ...["When is the office open?", "Does the app work offline?", "Are gift cards sold?"],
];

function groupsOf(vectorsOf?: (questions: readonly string[]) => Float32Array[] | undefined) {
  const questions = [...WORDINGS.flat(), ...OTHERS].map((question, n) => ({
    ...{ agentId: "a", conversationId: `c${n}`, at: n, exp: 1e15, reasons: [] },
    ...{ runId: `run-${n}`, question },
  }));
  const meanings = vectorsOf && {
    vectorsOf: (_tenant: string, asked: readonly string[]) => Promise.resolve(vectorsOf(asked)),
  };
  return toGroups(questions, { tenant: "t", marks: new Map(), meanings });
}

/** By topic: the same direction for two wordings. */
function byTopic(questions: readonly string[]): Float32Array[] {
  return questions.map((question) => {
    const topic = WORDINGS.findIndex((some) => some.includes(question));
    const dice = new SeededRandom(topic >= 0 ? topic + 1 : 100 + OTHERS.indexOf(question));
    const vector = Float32Array.from({ length: 32 }, () => dice.number(-1, 1));
    const length = Math.hypot(...vector);
    return vector.map((one) => one / length);
  });
}

Deno.test("toGroups: questions in other words are one group only by their meaning", async () => {
  assertEquals((await groupsOf()).length, 11);
  const groups = await groupsOf(byTopic);
  assertEquals(groups.length, 9);
  assertEquals(
    groups.slice(0, 2).map(({ questions }) => questions.map(({ question }) => question).sort()),
    WORDINGS.map((some) => some.toSorted()).reverse(),
  );
});

Deno.test("toGroups: without vectors they are grouped by their words", async () => {
  assertEquals((await groupsOf(() => undefined)).length, 11);
});
