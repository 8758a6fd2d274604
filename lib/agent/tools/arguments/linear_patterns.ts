import { RE2JS } from "re2js";
import { CostLimitError, type CostMeter } from "./cost_meter.ts";

/** What a validator needs of a compiled pattern. */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/** States of one pattern's automaton; compiling takes about 6 ms for a thousand. */
const MAX_STATES = 2_500;
/** What a state costs to compile, in steps of a check. */
const STATE_COST = 1_000;
/** Compiling the shortest pattern takes as long as so many states. */
const MIN_STATES = 20;
const TOKEN = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/**
 * The patterns of one schema as automata: their time grows with the text and never explodes, which a
 * backtracking engine cannot promise of patterns that strangers write. Look-around and
 * back-references do not exist. Each is compiled once, and what all of them cost is metered.
 */
export class LinearPatterns {
  readonly #meter: CostMeter;
  readonly #compiled = new Map<string, LinearPattern>();

  constructor(meter: CostMeter) {
    this.#meter = meter;
  }

  /** Throws on what it cannot compile. */
  compile(pattern: string): LinearPattern {
    const known = this.#compiled.get(pattern);
    if (known !== undefined) return known;
    const compiled = compile(pattern, this.#meter);
    this.#compiled.set(pattern, compiled);
    return compiled;
  }

  /** Why `pattern` cannot be used; `undefined` when it can. */
  issue(pattern: string): string | undefined {
    try {
      this.compile(pattern);
      return undefined;
    } catch (error) {
      if (error instanceof CostLimitError) {
        return "is one pattern too many: together they are too large";
      }
      return "is not a pattern that runs in linear time " +
        "(no look-around, no back-reference, no large repetition)";
    }
  }
}

function compile(pattern: string, meter: CostMeter): LinearPattern {
  const states = countStates(pattern);
  if (states > MAX_STATES) throw new Error("the pattern repeats too much");
  meter.charge(Math.max(states, MIN_STATES) * STATE_COST);
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  const size = compiled.programSize();
  return {
    test(text) {
      meter.charge(size * text.length);
      return compiled.test(text);
    },
    toString: () => `/${pattern}/`,
  };
}

/** About how many states a pattern has, before it is compiled: counted repetition copies them. */
function countStates(pattern: string): number {
  // Quoting is no part of JavaScript's patterns, and would hide repetitions from the count.
  if (pattern.includes("\\Q")) return Infinity;
  const groups = [0];
  let last = 0;
  for (const [token, low, high] of pattern.matchAll(TOKEN)) {
    if (token === "(") {
      groups.push(0);
      last = 0;
      continue;
    }
    const added = low !== undefined
      ? last * (Math.max(Number(low), Number(high ?? 0)) - 1)
      : token === ")" && groups.length > 1
      ? groups.pop()!
      : 1;
    groups[groups.length - 1]! += added;
    last = low === undefined ? added : last + added;
  }
  return groups.reduce((sum, size) => sum + size, 0);
}
