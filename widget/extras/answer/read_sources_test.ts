import { assertEquals } from "@std/assert";
import { addSources, type TranscriptMessage } from "../../state.ts";
import { readSources } from "./read_sources.ts";

const answer = (more: Partial<TranscriptMessage>): TranscriptMessage => ({
  ...{ id: 1, role: "assistant", text: "" },
  ...more,
});

Deno.test("readSources: each document once, with its different passages as one text", () => {
  const message = answer({ text: "One more thing to say: two of them are red." });
  const passages = [
    { title: "A", text: "One more thing to say." },
    { title: "B", text: "Nothing of it." },
    { title: "A", text: "Two of them are red." },
    { title: "A", text: "One more thing to say." },
  ];
  addSources(message, { name: "search_knowledge", output: { passages } });
  assertEquals(readSources(message), [
    { title: "A", url: "A", text: "One more thing to say.\n\nTwo of them are red." },
  ]);
});

Deno.test("readSources: a page of a website has its address, also if another has the same title", () => {
  const message = answer({ text: "Ask the help desk." });
  const passages = [
    { title: "Help desk", url: "https://a.example/1", text: "One." },
    { title: "Help desk", url: "https://a.example/2", text: "Two." },
  ];
  addSources(message, { name: "search_knowledge", output: { passages } });
  assertEquals(readSources(message), passages);
});

Deno.test("readSources: reads the titles that earlier releases have stored", () => {
  const sources = ["Returns policy", "B", "Returns policy"];
  const text = "See our returns policy.";
  assertEquals(readSources(answer({ text, sources })), [
    { title: "Returns policy", url: "Returns policy", text: "" },
  ]);
  assertEquals(readSources(answer({})), []);
});

Deno.test("readSources: only what the answer draws on", () => {
  const sources = [
    { title: "Returns", text: "Goods are taken back within thirty days of their arrival." },
    { title: "Delivery", text: "Parcels to Norway arrive in two working days, at no cost." },
  ];
  const text = "Parcels to Norway arrive in two working days.";
  assertEquals(readSources(answer({ text, sources })).map(({ title }) => title), [
    "Delivery",
  ]);
});
