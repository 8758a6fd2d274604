/** An argument of a tool as a person reads it. */
export interface ShownArgument {
  readonly label: string;
  readonly text: string;
}

/**
 * They cannot be seen, and let a text read as another: "‮001" as "100". Emoji and some languages need the
 * joiners and the selectors of variants.
 */
const INVISIBLE = /[^\P{DI}\u200c\u200d\ufe0e\ufe0f]/gu;

/** All that a person decides on: a model's words, so they are text and nothing else. */
export function readArguments(args: unknown): ShownArgument[] {
  const clean = (text: string) => text.replace(INVISIBLE, "�");
  return Object.entries(Object(args)).map(([label, value]) => ({
    label: clean(label),
    text: clean(typeof value === "string" ? value : JSON.stringify(value, null, 1)),
  }));
}
