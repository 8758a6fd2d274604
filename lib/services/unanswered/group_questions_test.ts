import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { SeededRandom } from "@/tests/support/fuzz/seeded_random.ts";
import { QuestionGrouper, typicalQuestion } from "./group_questions.ts";

const asked = (questions: readonly string[]) => questions.map((question) => ({ question }));
const textsOf = (groups: { question: string }[][]) =>
  groups.map((group) => group.map(({ question }) => question));

Deno.test("QuestionGrouper: every question is in one group, also of many about a common word", async () => {
  const dice = new SeededRandom(7);
  const questions = Array.from({ length: 2_000 }, (_, n) => {
    const rest = Array.from({ length: 60 }, () => `w${dice.int(0, 5_000)}`);
    return { n, question: `Where is my parcel ${rest.join(" ")}` };
  });
  const groups = await new QuestionGrouper().group(questions);
  assertEquals(groups.flat().map(({ n }) => n).sort((a, b) => a - b), [...questions.keys()]);
});

Deno.test("QuestionGrouper: of a long question its beginning counts", async () => {
  const beginning = "Can I return opened cosmetics? ".padEnd(400, "My cream was too rich. ");
  const groups = await new QuestionGrouper().group(asked([
    `${beginning} Apples, pears and plums.`,
    `${beginning} Doors, windows and roofs.`,
    "Where is the nearest shop?",
  ]));
  assertEquals(groups.map(({ length }) => length), [2, 1]);
});

Deno.test("QuestionGrouper: a list that it has grouped is not grouped again, any other is", async () => {
  const grouper = new QuestionGrouper();
  const questions = ["Do you ship abroad?", "Shipping abroad?", "Who are you?"];
  const [first, again] = [asked(questions), asked(questions)];
  const expected = [questions.slice(0, 2), questions.slice(2)];
  const groups = await Promise.all([grouper.group(first), grouper.group(again)]);
  assertEquals(groups.map(textsOf), [expected, expected]);
  // The members are the caller's own.
  assertStrictEquals(groups[1]![0]![0], again[0]);
  assertEquals(textsOf(await grouper.group(asked(["Do you ship", "abroad?"]))).length, 2);
  assertEquals(await grouper.group([]), []);
});

Deno.test("typicalQuestion: the one with most in common, and none of unreadable ones", async () => {
  const questions = ["", "Parcel?", "Where is my parcel now?", "Where is my parcel?"];
  assert((await typicalQuestion(questions)).startsWith("Where is my parcel"));
  assertEquals(await typicalQuestion(["", ""]), "");
});
