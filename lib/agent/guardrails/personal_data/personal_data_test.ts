import { assert, assertEquals } from "@std/assert";
import { TUNED_TEXTS, UNSEEN_TEXTS } from "@/tests/support/guardrail_texts.ts";
import { PERSONAL_DATA, type PersonalDataKind } from "../../../schemas/guardrails.ts";
import { compileRules } from "../guardrail_rules.ts";
import { guardText } from "../text_guard.ts";
import { hasLuhnChecksum } from "./find_card.ts";
import { hasIbanChecksum } from "./find_iban.ts";

const RULES = compileRules({ personalData: { kinds: [...PERSONAL_DATA], action: "mask" } });
const MASKS = Object.fromEntries(RULES.map(({ rule, mask }) => [rule, mask]));
const MARKED = /⟦(\w+):(.*?)⟧/g;

const mask = (text: string) => guardText(text, { rules: RULES });

/** What a marked text and its masked form have of a kind, and what both have. */
function compare(texts: readonly string[], kind: PersonalDataKind) {
  const sums = { marked: 0, masked: 0, right: 0 };
  for (const text of texts) {
    const expected = text.replace(MARKED, (_, one: string) => MASKS[one]!);
    const countIn = (some: string) => some.split(MASKS[kind]!).length - 1;
    const [marked, masked] = [countIn(expected), countIn(mask(text.replace(MARKED, "$2")))];
    sums.marked += marked;
    sums.masked += masked;
    sums.right += Math.min(marked, masked);
  }
  return sums;
}

Deno.test("personal data: of texts that the rules were made with, exactly the marked parts are masked", () => {
  for (const text of TUNED_TEXTS) {
    const expected = text.replace(MARKED, (_, kind: string) => MASKS[kind]!);
    assertEquals(mask(text.replace(MARKED, "$2")), expected);
  }
});

for (const kind of PERSONAL_DATA) {
  Deno.test(`personal data, ${kind}: all of unseen texts is found, with hardly anything else`, () => {
    const { marked, masked, right } = compare(UNSEEN_TEXTS, kind);
    assert(marked >= 6, `${marked} in the texts`);
    assertEquals(right, marked);
    assert(masked - right <= 1, `${masked - right} are wrong`);
  });
}

Deno.test("checksums: Luhn and ISO 13616 reject every changed digit and most swapped ones", () => {
  const [card, iban] = ["4111111111111111", "GB29NWBK60161331926819"];
  assert(hasLuhnChecksum(card) && hasIbanChecksum(iban.toLowerCase()));
  for (let n = 0; n < 16; n++) {
    const digit = (Number(card[n]) + 1) % 10;
    assertEquals(hasLuhnChecksum(card.slice(0, n) + digit + card.slice(n + 1)), false);
  }
  assertEquals(hasIbanChecksum("GB92NWBK60161331926819"), false);
  assertEquals(hasIbanChecksum("GB29NWBK60161331926891"), false);
});

Deno.test("personal data: a number is found at every edge, and in Markdown and tables", () => {
  const card = "4111 1111 1111 1111";
  const places = [
    "#",
    "(#)",
    "“#”",
    "**#**",
    "| # |",
    "#.",
    "#,",
    "Karte#",
    "は#です",
    "no.\t#\n",
    "1 #",
  ];
  for (const place of places) {
    assertEquals(mask(place.replace("#", card)), place.replace("#", "[card number]"), place);
  }
  assertEquals(mask("4111 **1111** 1111 1111"), "[card number]");
  assertEquals(mask("4111.1111.1111.1111"), "[card number]");
  for (const text of ["4111,1111,1111,1111", "4111  1111 1111 1111", "41 11 11 11 11 11 11 11"]) {
    assertEquals(mask(text), text);
  }
});

Deno.test("personal data: a number is found in every column of CSV and of compact JSON", () => {
  assertEquals(mask("7,4111111111111111,12/27"), "7,[card number],12/27");
  assertEquals(mask("[7,4111111111111111]"), "[7,[card number]]");
  assertEquals(mask("7,+49 171 1234567"), "7,[phone number]");
  assertEquals(mask("3.4111111111111111"), "3.4111111111111111");
});
