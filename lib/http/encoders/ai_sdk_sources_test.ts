import { assertEquals } from "@std/assert";
import type { Frame } from "../../schemas/frames.ts";
import { AiSdkEncoder } from "./ai_sdk_encoder.ts";

const RUN = "5f3c1c4e-8f0a-4b8e-9d56-0a4f1f7b2c11";

/** The parts of a stream with these frames. */
function partsOf(...frames: Frame[]): { type: string; title?: string }[] {
  const encoder = new AiSdkEncoder(RUN);
  const events = frames.map((frame, n) => encoder.encode({ n: n + 1, frame })).join("");
  return [...events.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!));
}

const passage = (documentId: string, text: string, title = documentId) => ({
  ...{ documentId, title, text, headingPath: [], position: 0, score: 1 },
});

Deno.test("AiSdkEncoder: sources are those that the answer used, each once, after its text", () => {
  const passages = [
    passage("Returns", "Goods are taken back within thirty days of their arrival."),
    passage("Shipping", "Parcels to Norway arrive in two working days, at no cost."),
    passage("Shipping", "Parcels to Norway arrive in two working days, always."),
    passage("Page", "On Mondays the shop opens at nine.", "https://shop.example/hours"),
  ];
  const parts = partsOf(
    {
      type: "start",
      requestId: "r",
      runId: RUN,
      conversationId: RUN,
      provider: "vendor_a",
      model: "m",
    },
    { type: "tool_call", name: "search_knowledge", args: { query: "Norway" } },
    { type: "tool_result", name: "search_knowledge", output: { passages } },
    { type: "delta", text: "Parcels to Norway arrive in two " },
    { type: "delta", text: "working days. On Mondays the shop opens at nine." },
    { type: "done", finishReason: "stop" },
  );
  const kinds = parts.map(({ type, title }) => title === undefined ? type : `${type} ${title}`);
  assertEquals(kinds.slice(kinds.indexOf("text-end")), [
    "text-end",
    "source-document Shipping",
    "source-url https://shop.example/hours",
    "finish-step",
    "finish",
  ]);
});

Deno.test("AiSdkEncoder: an answer that uses nothing of what was found has no sources", () => {
  const passages = [passage("Returns", "Goods are taken back within thirty days.")];
  const parts = partsOf(
    { type: "tool_call", name: "search_knowledge", args: { query: "gift cards" } },
    { type: "tool_result", name: "search_knowledge", output: { passages } },
    { type: "delta", text: "I found nothing about gift cards." },
    { type: "done", finishReason: "stop" },
  );
  assertEquals(parts.filter(({ type }) => type.startsWith("source")), []);
});
