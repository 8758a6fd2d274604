/** Markdown that could freeze a page, and ordinary text for comparison. */

/** Parts to repeat: half-open, doubled, crossed or nested syntax. */
const PUMPS = [
  ..."* ** *** _ __ ___ ~ ~~ ` `` ``` ```` [ ![ ] ]( ) ( < > | \\ ! # - + :".split(" "),
  ..."*a **a _a __a ~~a `a ``a [a ![a a* a** a_ a__ a~~ a` a]( \\* \\[ \\` *_ _* **__ `*`".split(
    " ",
  ),
  ...[
    "[a](",
    "[a]()",
    "[a](b",
    "![a](b ",
    "[](",
    "](a b",
    "](a(b)",
    "[[a](b)",
    "[a][b]",
    "<https://a>",
  ],
  ...[
    "https://",
    "https://a.",
    "http://a)",
    "https://a.test/_*~",
    "<br>",
    "<br",
    "a*a_a~a",
    "*a_b*c_",
  ],
  ...["[Guide](https://a.test/x), ", "[Sources: [a](https://a.test)", "**a *b __c _d ~~e `f [g "],
  ...[
    "\n",
    " \n",
    "\n\n",
    "> ",
    "> \n",
    ">\n>\n",
    "- ",
    "- a\n",
    "  - a\n",
    "1. a\n",
    "- \n\n",
    "* * ",
  ],
  ...["---\n", "- - -\n", "# a\n", "# # ", "###### ", "```\n", "~~~\n", "```a\n```\n", "    a\n"],
  ...[
    "|a",
    "| a | b |\n",
    "|-",
    "|--|--|\n",
    "a|b\n-|-\n",
    "| a |\n|---|\n",
    "\\|",
    "|\n|",
    ":-:|",
  ],
  ...[
    "\t",
    "  ",
    "a ",
    "\u00a0",
    "\u202e",
    "\u200b",
    "\ud83d\ude00",
    "é",
    "語",
    "\0",
    "&amp;",
    ".",
  ],
];

/** Repeats a part up to a length. */
const SHAPES: ((pump: string, length: number) => string)[] = [
  (pump, length) => pump.repeat(length / pump.length),
  (pump, length) => `- ${pump.repeat(length / 2 / pump.length)}x${mirrored(pump, length / 2)}`,
];

/** At least 200 hostile texts of about `length` characters. */
export function hostileTexts(length: number): string[] {
  return PUMPS.flatMap((pump) => SHAPES.map((shape) => shape(pump, length).slice(0, length)));
}

function mirrored(pump: string, length: number): string {
  return [...pump].reverse().join("").repeat(length / pump.length);
}

/** A text of random syntax and words, reproducible by seed. */
export function randomText(seed: number, length: number): string {
  let state = seed * 2654435761 >>> 0;
  const below = (n: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * n);
  };
  const some = Array.from({ length: 1 + below(6) }, () => PUMPS[below(PUMPS.length)]!);
  let text = "";
  while (text.length < length) text += some[below(some.length)]!.repeat(1 + below(3));
  return text.slice(0, length);
}

const ANSWER = `## Returns

You can send **anything** back within *30 days*, as the [terms](https://shop.test/terms) say:

1. Open \`Orders\` and choose **Return**.
2. Print the label, or show the code at https://shop.test/points.
   - Parcels up to 10 kg are free.
   - Larger ones cost 4.90.

| Country | Days | Price |
|---------|-----:|-------|
| Germany | 2    | free  |
| France  | 4    | 3.90  |

> Refunds take up to *five* working days.

\`\`\`js
const order = await shop.orders.get("A-1042");
\`\`\`

Is there _anything else_ that I can help you with?

`;

/** Text of a typical answer. */
export function ordinaryText(length: number): string {
  return ANSWER.repeat(Math.ceil(length / ANSWER.length)).slice(0, length);
}
