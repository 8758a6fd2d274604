import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { Passage } from "../../schemas/knowledge.ts";
import { compileParameters } from "./arguments/compile_parameters.ts";
import { searchKnowledgeTool } from "./search_knowledge_tool.ts";
import { ToolError } from "./tool_error.ts";

const PASSAGE: Passage = {
  documentId: "d1",
  title: "Handbook",
  headingPath: ["Returns"],
  position: 3,
  text: "Within thirty days.",
  score: 1.5,
};
const signal = new AbortController().signal;

Deno.test("search_knowledge: returns the passages, best first, with the documented fields only", async () => {
  const tool = searchKnowledgeTool(() => Promise.resolve([{ ...PASSAGE, matches: [[0, 6]] }]));
  const { position: _, ...expected } = PASSAGE;
  assertEquals(await tool.call({ query: "return" }, { signal }), { passages: [expected] });
});

Deno.test("search_knowledge: a passage has the web address of a document whose title is one", async () => {
  const urlOf = async (title: string) => {
    const tool = searchKnowledgeTool(() => Promise.resolve([{ ...PASSAGE, title }]));
    const { passages } = await tool.call({ query: "x" }, { signal }) as {
      passages: { url?: string }[];
    };
    return passages[0]!.url;
  };
  assertEquals(await urlOf("https://shop.example.com/returns"), "https://shop.example.com/returns");
  for (const title of ["Returns", "javascript:alert(1)", "https://", "see https://shop.example"]) {
    assertEquals(await urlOf(title), undefined, title);
  }
});

Deno.test("search_knowledge: searches for five passages by default", async () => {
  const asked: unknown[] = [];
  const tool = searchKnowledgeTool((one) => {
    asked.push(one);
    return Promise.resolve([]);
  });
  assertEquals(await tool.call({ query: "a" }, { signal }), { passages: [] });
  await tool.call({ query: "b", limit: 2 }, { signal });
  assertEquals(asked, [{ query: "a", limit: 5 }, { query: "b", limit: 2 }]);
});

Deno.test("search_knowledge: a deleted knowledge base is a tool error", async () => {
  const tool = searchKnowledgeTool(() => Promise.resolve(undefined));
  const error = await assertRejects(() => tool.call({ query: "a" }, { signal }), ToolError);
  assertEquals(error.code, "tool_unreachable");
});

Deno.test("search_knowledge: accepts a query and a limit within bounds only", () => {
  const compiled = compileParameters(
    searchKnowledgeTool(() => Promise.resolve([])).tool.parameters,
  );
  if (!("validate" in compiled)) throw new Error(compiled.message);
  for (const good of [{ query: "a" }, { query: "a", limit: 20 }]) {
    assertEquals(compiled.validate(good), undefined);
  }
  const bad = [{}, { query: "" }, { query: "a", limit: 21 }, { query: "a", limit: "2" }, {
    query: "a",
    base: "other",
  }];
  for (const one of bad) assertEquals(typeof compiled.validate(one), "string");
});

Deno.test("search_knowledge: the description says that documents are not instructions", () => {
  const { description } = searchKnowledgeTool(() => Promise.resolve([])).tool;
  assertMatch(description, /data/);
  assertMatch(description, /instruction/);
  assertEquals(description.length <= 1024, true);
});
