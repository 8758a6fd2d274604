import { LRUCache } from "lru-cache";
import type {
  GuardrailAction,
  GuardrailRule,
  PersonalDataKind,
  SideGuardrails,
} from "../../schemas/guardrails.ts";
import type { FoldedText } from "./folded_text.ts";
import { findCard } from "./personal_data/find_card.ts";
import { findEmail } from "./personal_data/find_email.ts";
import { findIban } from "./personal_data/find_iban.ts";
import { findPhone } from "./personal_data/find_phone.ts";
import { WordList } from "./word_list.ts";

/** The end of a match that starts at `i`, -1 if none does; looks at a bounded part of the text. */
type Find = (text: FoldedText, i: number) => number;

export interface TextRule {
  rule: GuardrailRule;
  action: GuardrailAction;
  /** Shown instead of a match. */
  mask: string;
  find: Find;
}

const FINDERS: Readonly<Record<PersonalDataKind, { find: Find; mask: string }>> = {
  card: { find: findCard, mask: "[card number]" },
  iban: { find: findIban, mask: "[IBAN]" },
  email: { find: findEmail, mask: "[email address]" },
  phone: { find: findPhone, mask: "[phone number]" },
};

/** The rules of one side that are decided by the text alone; empty without any. */
export function compileRules(
  { denyWords, personalData }: Pick<SideGuardrails, "denyWords" | "personalData">,
): TextRule[] {
  const rules: TextRule[] = (personalData?.kinds ?? []).map((rule) => ({
    ...{ rule, action: personalData!.action },
    ...FINDERS[rule],
  }));
  if (denyWords === undefined) return rules;
  const words = wordListOf(denyWords.words);
  const find: Find = (text, i) => words.find(text, i);
  return [...rules, { rule: "deny_words", action: denyWords.action, mask: "[removed]", find }];
}

/** Characters of all cached lists: each takes about 400 bytes. */
const MAX_CACHED_LENGTH = 100_000;
/** Building a list of 500 words takes a few milliseconds, and every run of an agent has the same one. */
const wordLists = new LRUCache<string, WordList>({
  maxSize: MAX_CACHED_LENGTH,
  sizeCalculation: (_, key) => key.length,
});

function wordListOf(words: readonly string[]): WordList {
  const key = JSON.stringify(words);
  const known = wordLists.get(key);
  if (known !== undefined) return known;
  const list = new WordList(words);
  wordLists.set(key, list);
  return list;
}

/** The same rules where nothing can be blocked, such as in the output of a tool. */
export function asMasks(rules: readonly TextRule[]): TextRule[] {
  return rules.map((rule) => ({ ...rule, action: "mask" }));
}
