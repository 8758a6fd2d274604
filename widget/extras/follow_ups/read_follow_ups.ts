const MAX_QUESTIONS = 3;
const MAX_LENGTH = 200;

/** The questions in the arguments of a model's call, which are untrusted. */
export function readFollowUps(args: unknown): string[] {
  const { questions } = Object(args);
  if (!Array.isArray(questions)) return [];
  const texts = questions.filter((one) => typeof one === "string").map((text) => text.trim());
  const fitting = texts.filter((text) => text && text.length <= MAX_LENGTH);
  return [...new Set(fitting)].slice(0, MAX_QUESTIONS);
}
