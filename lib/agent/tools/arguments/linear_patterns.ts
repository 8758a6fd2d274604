import { RE2JS } from "re2js";

/** Steps that one check may take; about a tenth of a second. */
const MAX_STEPS = 5_000_000;

export class CostLimitError extends Error {
  override name = "CostLimitError";
}

/** Limits the cost of compiling and running a check, so that no schema or value blocks the process. */
export class CostMeter {
  #remaining = MAX_STEPS;

  reset(): void {
    this.#remaining = MAX_STEPS;
  }

  charge(steps: number): void {
    this.#remaining -= steps;
    if (this.#remaining < 0) throw new CostLimitError("the arguments cost too much to check");
  }
}

/** States of one pattern's automaton; compiling a thousand takes about 6 ms. */
const MAX_STATES = 2_500;
/** Cost of compiling a state, in steps of the meter. */
const STATE_COST = 1_000;
const MIN_STATES = 20;
const TOKEN = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/**
 * Compiles the patterns of one schema to automata that run in linear time, because a backtracking
 * engine could be blocked by an untrusted pattern. Look-around and back-references are not supported.
 */
export class LinearPatterns {
  readonly #meter: CostMeter;
  readonly #compiled = new Map<string, ReturnType<typeof compile>>();

  constructor(meter: CostMeter) {
    this.#meter = meter;
  }

  /** Throws if the pattern is not supported or too large. */
  compile(pattern: string): ReturnType<typeof compile> {
    const known = this.#compiled.get(pattern);
    if (known !== undefined) return known;
    const compiled = compile(pattern, this.#meter);
    this.#compiled.set(pattern, compiled);
    return compiled;
  }

  /** Why `pattern` cannot be used; `undefined` if it can. */
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

function compile(pattern: string, meter: CostMeter) {
  const states = countStates(pattern);
  if (states > MAX_STATES) throw new Error("the pattern repeats too much");
  meter.charge(Math.max(states, MIN_STATES) * STATE_COST);
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  const size = compiled.programSize();
  return {
    test(text: string): boolean {
      meter.charge(size * text.length);
      return compiled.test(text);
    },
    toString: () => `/${pattern}/`,
  };
}

/** Estimates the states of a pattern before it is compiled; counted repetition multiplies them. */
function countStates(pattern: string): number {
  // Quoting is not part of JavaScript's syntax and would hide repetitions from the count.
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
