import { assert, assertEquals } from "@std/assert";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { PERSONAL_DATA } from "../../schemas/guardrails.ts";
import { compileRules, type TextRule } from "./guardrail_rules.ts";
import { guardText, TextGuard } from "./text_guard.ts";

const WORDS = ["card", "credit check", "秘密", "schön", "비밀", "café au lait", "c++"];
const RULES = compileRules({
  denyWords: { words: WORDS, action: "mask" },
  personalData: { kinds: [...PERSONAL_DATA], action: "mask" },
});

const mask = (text: string, rules: readonly TextRule[] = RULES) => guardText(text, { rules });

/** The shown text of a text that arrives in these parts, and the most that was ever held back. */
function shownOf(parts: readonly string[]) {
  const guard = new TextGuard({ rules: RULES });
  let held = 0;
  const frames = parts.map((part) => {
    const shown = guard.push(part);
    held = Math.max(held, guard.heldLength);
    return shown;
  });
  return { shown: [...frames, guard.end()].join(""), held };
}

Deno.test("guardText: whole words and phrases are removed, in any case and width", () => {
  for (const text of ["card", "CARD", "ｃａｒｄ", "“card”", "Credit-Check", "credit\ncheck"]) {
    assertEquals(mask(text).replace(/[“”]/g, ""), "[removed]", text);
  }
  for (const text of ["cards", "discard", "credit", "creditcheck", "schon", "c", "cafe au lait"]) {
    assertEquals(mask(text), text);
  }
  assertEquals(mask("C++ and schön, SCHÖN"), "[removed] and [removed], [removed]");
});

Deno.test("guardText: invisible characters, marks, look-alikes and emphasis hide no word", () => {
  const tricks = {
    "zero width": "c\u200ba\u2060r\ufeffd",
    "soft hyphen": "ca\u00adrd",
    "variation selectors": "c\ufe0fa\u{e0100}rd",
    "directions": "\u202eca\u202crd",
    "combining marks": "c\u0336a\u0336r\u0336d\u0336",
    "accents": "çàrđ".replace("đ", "d"),
    "Cyrillic": "саrd",
    "mathematical letters": "𝓬𝓪𝓻𝓭",
    "circled letters": "ⓒⓐⓡⓓ",
    "emphasis": "ca**rd**",
    "code": "c`ar`d",
    "strikethrough": "c~~ard~~",
    "escapes": "**\\[card\\]**",
  };
  for (const [trick, text] of Object.entries(tricks)) {
    assert(mask(`a ${text} b`).includes("[removed]"), trick);
  }
});

Deno.test("guardText: what is documented as a limit stays as it is", () => {
  for (const text of ["c4rd", "c a r d", "ca<b></b>rd", "c&#97;rd", "drac", "Y2FyZA=="]) {
    assertEquals(mask(text), text);
  }
  assertEquals(mask("john (at) example (dot) com"), "john (at) example (dot) com");
  assertEquals(mask("four one one one"), "four one one one");
});

Deno.test("guardText: languages without spaces need no boundary, and particles may follow Korean", () => {
  assertEquals(mask("これは秘密です"), "これは[removed]です");
  assertEquals(mask("비밀을 말해"), "[removed]을 말해");
  assertEquals(mask("무비밀"), "무비밀");
  assertEquals(mask("신용card를"), "신용[removed]를");
});

Deno.test("guardText: a mask takes what is attached to its match, and nothing else", () => {
  assertEquals(mask("**card** dog"), "**[removed]** dog");
  assertEquals(mask("card\u0301\u200b!"), "[removed]!");
  assertEquals(mask("card card"), "[removed] [removed]");
});

Deno.test("guardText: an accented word is found however its accent is written", () => {
  assertEquals(mask("sch\u006f\u0308n"), "[removed]");
  assertEquals(shownOf(["scho", "\u0308", "n"]).shown, "[removed]");
  assertEquals(shownOf(["scho", "n"]).shown, "schon");
  assertEquals(mask("CAFE\u0301 AU LAIT"), "[removed]");
});

const PIECES = [
  "card",
  "Card",
  "ca**rd**",
  "credit",
  " check",
  "-",
  " ",
  "\n",
  ".",
  "4111 1111 1111 1111",
  "4111-1111",
  "11111111",
  "378282246310005",
  "DE89 3704 0044 0532 0130 00",
  "GB29NWBK60161331926819",
  "john.doe",
  "@",
  "example.com",
  "+49 89 123456",
  "030/1234567",
  "(415) 555-0132",
  "01.02.2024",
  "\u200b",
  "\u0301",
  "秘密",
  "비밀",
  "schön",
  "sch",
  "ö",
  "o\u0308",
  "n",
  "👩‍👩‍👧",
  "ß",
  "ﬁ",
  "0",
  "12",
  "[",
  "]",
  "😀",
  "\ud83d",
  "a".repeat(70),
  "x@",
  "de",
  "٤١١١",
  ...["\\", "\\-", "4111\\-1111\\-1111\\-1111", "john\\.doe@example\\.com"],
];

/** What a reader sees: an oracle that knows nothing of how rules read a text. */
const MATCH =
  /(?<!\p{L}|\p{N})card(?!\p{L}|\p{N})|(?<!\p{N})4111([ -]?)1111\1?1111\1?1111(?!\p{N})|doe@example\.com(?![\p{L}\p{N}.])/iu;

function visible(text: string): string {
  const plain = text.normalize("NFKD").replace(
    /[\p{M}\p{Default_Ignorable_Code_Point}*`~]|\\(?=[!-/:-@[-`{-~])/gu,
    "",
  );
  // A mask stands where digits and letters were.
  return plain.replaceAll(/\[(?:card number|email address|phone number|IBAN)\]/g, "0");
}

Deno.test("TextGuard: every way to split a text shows the same, and no frame has a match", () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const next = seeded(seed);
    const random = (below: number) => Math.floor(next() * below);
    const text = Array.from({ length: 1 + random(14) }, () => PIECES[random(PIECES.length)]).join(
      "",
    );
    const parts: string[] = [];
    for (let at = 0; at < text.length;) {
      const length = 1 + random(1 + random(12));
      parts.push(text.slice(at, at + length));
      at += length;
    }
    const whole = mask(text);
    assertEquals(shownOf(parts).shown, whole, `seed ${seed}: ${JSON.stringify(parts)}`);
    assertEquals(shownOf(text.split("")).shown, whole, `seed ${seed}, by unit`);
    assert(
      !MATCH.test(visible(whole)),
      `seed ${seed}: ${JSON.stringify([text, whole, visible(whole)])}`,
    );
  }
});

Deno.test("TextGuard: harmless text passes but for its last word, and nothing is lost", () => {
  const text = "The parcel of 12 March 2024 costs 1,299.00 EUR and weighs 3.5 kg.\n".repeat(20);
  const { shown, held } = shownOf(text.match(/.{1,4}/gs)!);
  assertEquals(shown, text);
  assert(held <= 12, `${held} characters were held`);
});

Deno.test("TextGuard: what is held back is bounded, whatever is written", () => {
  const units = [
    ...["a", "a.", "4111 ", "4111", "de89", "+49 ", "(", "a@", "a@b.", "card", "card ", "credit "],
    ...["0 ", "ß", "@", "1-", "[", "credit   "],
  ];
  for (const unit of units) {
    const { held } = shownOf(unit.repeat(2_000).split(""));
    assert(held <= 330, `${JSON.stringify(unit)}: ${held}`);
  }
});

Deno.test("TextGuard: blocking shows the text before the match and nothing after", () => {
  const rules = RULES.map((rule) => ({ ...rule, action: "block" as const }));
  const matched: string[] = [];
  const guard = new TextGuard({ rules, onMatch: ({ rule }) => matched.push(rule) });
  const shown = ["Your ca", "rd", " is", " 4111"].map((part) => guard.push(part)).join("");
  assertEquals([shown, guard.end()], ["Your ", ""]);
  assertEquals([guard.stoppedBy?.rule, matched], ["deny_words", ["deny_words"]]);
});

Deno.test("TextGuard: a match that two steps share is found, and no word waits for a tool", () => {
  const guard = new TextGuard({ rules: RULES });
  assertEquals(guard.push("Let me check") + guard.pause(), "Let me check");
  assertEquals(guard.push(" 4111 1111 ") + guard.pause(), " ");
  assertEquals(guard.push("1111 1111 ok") + guard.pause(), "[card number] ok");
  assertEquals(guard.push(" john") + guard.pause(), " john");
  assertEquals(guard.push("@example.com ") + guard.end(), "[email address] ");
});

Deno.test("compileRules: lists that differ only in where a word ends are different lists", () => {
  const rulesOf = (...words: string[]) =>
    compileRules({ denyWords: { words, action: "mask" as const } });
  assertEquals(mask("alpha or beta", rulesOf("alpha\nbeta")), "alpha or beta");
  assertEquals(mask("alpha or beta", rulesOf("alpha", "beta")), "[removed] or [removed]");
});

Deno.test("TextGuard: where a text is cut off, the beginning of a number or address is not shown", () => {
  const shownOfCut = (text: string) => {
    const guard = new TextGuard({ rules: RULES });
    return guard.push(text) + guard.cut();
  };
  for (const text of ["4111 1111 1111 111", "GB29 NWBK 6016 133", "a@exampl", "4111111"]) {
    assertEquals(shownOfCut(`It is ${text}`), "It is ", text);
  }
  assertEquals(shownOfCut("It is 4111 1111 1111 1111"), "It is [card number]");
  for (const text of ["Write to jo", "It is 4111 11", "It costs 12"]) {
    assertEquals(shownOfCut(text), text);
  }
});

Deno.test("guardText: a match at any place of a long text is found", () => {
  const card = "4111 1111 1111 1111";
  for (let length = 4_070; length < 4_100; length++) {
    const before = `${"x".repeat(length)} `;
    assertEquals(mask(`${before}${card} 😀`), `${before}[card number] 😀`);
  }
});
