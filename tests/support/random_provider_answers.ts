import { SeededRandom } from "./fuzz/seeded_random.ts";
import type { MockRequest } from "./mock_providers/mock_providers.ts";
import type { Script, ScriptedPart, ScriptedUsage } from "./mock_providers/script.ts";

/** The planned answer to one request. */
export interface PlannedAnswer {
  script: Script;
  /** The run's number, from its message. */
  run: number;
  /** Whether the provider reports more tokens than possible. */
  inflated: boolean;
  /** Whether it fails on every attempt. */
  stumbles: boolean;
}

const NONSENSE = [
  NaN,
  -1,
  -1e12,
  1.5,
  Infinity,
  Number.MAX_SAFE_INTEGER,
  1e300,
  "12",
  "",
  null,
  {},
  [7],
  true,
];

/**
 * Random provider answers: tool loops, broken streams, and token counts that are correct, too low, too
 * high, absent or malformed. Reproducible by seed, in any order of concurrent runs.
 */
export function planAnswer(seed: number, request: MockRequest): PlannedAnswer {
  const text = JSON.stringify(request.body);
  const run = Number(/run number (\d+)/.exec(text)?.[1] ?? 0);
  const turns = (request.body.messages ?? request.body.contents).length;
  const dice = new SeededRandom(seed * 1_000_003 + run * 101 + turns);
  const honest = {
    input: dice.int(1, Math.ceil(text.length / 4)),
    output: dice.int(1, outputAllowed(request)),
  };
  const { usage, inflated } = lie(dice, honest);
  const broken = dice.chance(0.1);
  const script: Script = {
    say: sayings(dice, turns),
    usage,
    ...(broken ? { end: "none", finish: dice.pick(["close", "half"]) } : {}),
  };
  const stumbles = dice.chance(0.1);
  if (!stumbles) return { script, run, inflated, stumbles };
  const instead = dice.pick<Script>([
    { status: 500 },
    { body: "" },
    { usage, say: [{ error: "overloaded" }], end: "none" },
  ]);
  return { script: instead, run, inflated, stumbles };
}

function outputAllowed({ body }: MockRequest): number {
  return body.max_completion_tokens ?? body.max_tokens ?? body.generationConfig.maxOutputTokens;
}

function lie(
  dice: SeededRandom,
  honest: { input: number; output: number },
): { usage: ScriptedUsage | "absent"; inflated: boolean } {
  const times = dice.pick([2, 10, 1_000, 100_000]);
  const high = { input: honest.input * times + 1e5, output: honest.output * times + 1e5 };
  switch (dice.pick(["honest", "honest", "honest", "low", "high", "huge", "nonsense", "absent"])) {
    case "low":
      return { usage: { input: 0, output: dice.int(0, 1) }, inflated: false };
    case "high":
      return { usage: high, inflated: true };
    case "huge":
      return { usage: { input: 1e9, output: 1e9 }, inflated: true };
    case "nonsense":
      return {
        usage: { input: dice.pick(NONSENSE), output: dice.pick(NONSENSE) },
        inflated: false,
      };
    case "absent":
      return { usage: "absent", inflated: false };
    default:
      return { usage: honest, inflated: false };
  }
}

/** Often a call of an unknown tool, so that the run continues with a longer prompt. */
function sayings(dice: SeededRandom, turns: number): ScriptedPart[] {
  const text = { text: "word ".repeat(dice.int(1, 40)) };
  if (!dice.chance(0.6)) return [text];
  const call = {
    id: `call_${turns}`,
    name: "lookup",
    args: [`{"q":"${"x".repeat(dice.int(0, 300))}"}`],
  };
  return dice.chance(0.5) ? [text, { calls: [call] }] : [{ calls: [call] }];
}
