/** An argument of a tool as a person reads it. */
export interface ShownArgument {
  readonly label: string;
  readonly text: string;
}

/** They would let a text read as another: "‮001" as "100". */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** All that a person decides on: a model's words, so they are text and nothing else. */
export function readArguments(args: unknown): ShownArgument[] {
  const clean = (text: string) => text.replace(DIRECTIONS, "�");
  return Object.entries(Object(args)).map(([label, value]) => ({
    label: clean(label),
    text: clean(typeof value === "string" ? value : JSON.stringify(value, null, 1)),
  }));
}
