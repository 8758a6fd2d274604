import { assertEquals } from "@std/assert";
import { addSources, type TranscriptMessage } from "../../state.ts";
import { readSources } from "./read_sources.ts";

const answer = (more: Partial<TranscriptMessage>): TranscriptMessage => ({
  ...{ id: 1, role: "assistant", text: "" },
  ...more,
});

Deno.test("readSources: each document once, with its different passages as one text", () => {
  const message = answer({});
  const passages = [
    { title: "A", text: "One." },
    { title: "B" },
    { title: "A", text: "Two." },
    { title: "A", text: "One." },
  ];
  addSources(message, { name: "search_knowledge", output: { passages } });
  assertEquals(readSources(message), [
    { title: "A", text: "One.\n\nTwo." },
    { title: "B", text: "" },
  ]);
});

Deno.test("readSources: a page of a website has its address, also if another has the same title", () => {
  const message = answer({});
  const passages = [
    { title: "Help", url: "https://a.example/1", text: "One." },
    { title: "Help", url: "https://a.example/2", text: "Two." },
  ];
  addSources(message, { name: "search_knowledge", output: { passages } });
  assertEquals(readSources(message).map(({ title }) => title), passages.map(({ url }) => url));
});

Deno.test("readSources: reads the titles that earlier releases have stored", () => {
  const sources = ["A", "B", "A"];
  assertEquals(readSources(answer({ sources })), [{ title: "A", text: "" }, {
    title: "B",
    text: "",
  }]);
  assertEquals(readSources(answer({})), []);
});

Deno.test("readSources: what the answer draws on comes first", () => {
  const sources = [
    { title: "Returns", text: "Goods are taken back within thirty days of their arrival." },
    { title: "Delivery", text: "Parcels to Norway arrive in two working days, at no cost." },
  ];
  const text = "Parcels to Norway arrive in two working days.";
  assertEquals(readSources(answer({ text, sources })).map(({ title }) => title), [
    "Delivery",
    "Returns",
  ]);
});
