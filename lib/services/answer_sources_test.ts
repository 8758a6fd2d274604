import { assertEquals } from "@std/assert";
import { SHOP_PASSAGES } from "@/tests/support/shop_passages.ts";
import { answerSources } from "./answer_sources.ts";

const { returns, shipping, warranty } = SHOP_PASSAGES.en;
const ADDRESS = "https://shop.example.com/warranty";

/** A knowledge search that found these passages, each of a document with its name. */
function searched(...passages: [documentId: string, { title: string; text: string }][]) {
  const found = passages.map(([documentId, passage]) => ({ documentId, ...passage, score: 1 }));
  return { name: "search_knowledge", output: { passages: found } };
}

const ANSWER = "Express delivery arrives on the next working day if you order before 2 pm.";

Deno.test("answerSources: only documents that the answer draws on, with that passage", () => {
  const other = { title: "Shipping", text: "Parcels are gray." };
  const tools = [
    searched(["r", returns], ["s", other]),
    searched(["s", shipping], ["w", { ...warranty, title: ADDRESS }], ["r", returns]),
  ];
  assertEquals(answerSources(ANSWER, tools), [
    { title: "Shipping", used: true, text: shipping.text },
  ]);
  assertEquals(answerSources(warranty.text, tools), [
    { title: ADDRESS, url: ADDRESS, used: true, text: warranty.text },
  ]);
});

Deno.test("answerSources: none, if the answer draws on none", () => {
  const tools = [searched(["r", returns], ["s", shipping])];
  assertEquals(answerSources("I found nothing about gift cards.", tools), []);
});

Deno.test("answerSources: other tools, failed searches and malformed passages are no sources", () => {
  const passages = [null, {}, { documentId: "a" }, { documentId: "a", title: 7 }];
  assertEquals(
    answerSources(ANSWER, [
      { name: "lookup", output: searched(["s", shipping]).output },
      { name: "search_knowledge", output: { error: { code: "tool_unreachable" } } },
      { name: "search_knowledge", output: { passages } },
      { name: "search_knowledge" },
    ]),
    [],
  );
  const bare = {
    name: "search_knowledge",
    output: { passages: [{ documentId: "a", title: "Gift cards" }] },
  };
  assertEquals(answerSources("About gift cards.", [bare]), [
    { title: "Gift cards", used: true, text: "" },
  ]);
});
