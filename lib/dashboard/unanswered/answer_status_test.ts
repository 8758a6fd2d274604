import { assertEquals } from "@std/assert";
import type { UnansweredQuestion, UnansweredReport } from "../../schemas/unanswered.ts";
import { answerStatus } from "./answer_status.ts";

const NOON = "2026-01-01T12:00:00.000Z";
const LATER = "2026-01-01T13:00:00.000Z";
const DOCUMENT = { state: "ready", updatedAt: NOON } as const;

function report(change: Partial<UnansweredReport> = {}) {
  return { asking: false, state: "written" as const, questions: [], ...change };
}

function askedAt(at: string): UnansweredQuestion[] {
  const again = {
    ...{ before: "", after: "", sources: [], foundDocument: false, costUsd: 0, at },
    finishReason: "stop" as const,
  };
  return [{ runId: "r", conversationId: "c", question: "q", reasons: [], at: NOON, again }];
}

Deno.test("answerStatus: an answer is missing if there is no document, also after it was deleted", () => {
  assertEquals(answerStatus(report({ state: "open" }), undefined), "missing");
  assertEquals(answerStatus(report({ state: "answered" }), undefined), "missing");
  assertEquals(answerStatus(report({ state: "dismissed" }), undefined), "dismissed");
});

Deno.test("answerStatus: a document has to be processed before it is tried", () => {
  assertEquals(answerStatus(report(), { ...DOCUMENT, state: "processing" }), "processing");
  assertEquals(answerStatus(report(), { ...DOCUMENT, state: "failed" }), "failed");
  assertEquals(answerStatus(report(), DOCUMENT), "untried");
  assertEquals(answerStatus(report({ asking: true }), DOCUMENT), "asking");
});

Deno.test("answerStatus: an answer that was tried helped or not, and new questions say that it did not", () => {
  assertEquals(answerStatus(report({ state: "answered" }), DOCUMENT), "helpful");
  assertEquals(answerStatus(report({ state: "open" }), DOCUMENT), "outdated");
  assertEquals(answerStatus(report({ questions: askedAt(LATER) }), DOCUMENT), "unhelpful");
});

Deno.test("answerStatus: what an earlier answer achieved says nothing of the new one", () => {
  const document = { ...DOCUMENT, updatedAt: LATER };
  assertEquals(answerStatus(report({ questions: askedAt(NOON) }), document), "untried");
});
