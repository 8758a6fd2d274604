const group = {
  id: "b7a4f1d2-3c58-4e96-8a07-51d9e2c6f043",
  agentId: "6f1b2c9e-0d53-4a7e-9b61-2f0c4d8e7a15",
  question: "Do you have parking for caravans?",
  count: 12,
  reasons: { nothing_found: 9, little_found: 2, rated_down: 3, handed_off: 1 },
  firstAt: "2026-01-02T08:12:00.000Z",
  lastAt: "2026-01-15T09:30:00.000Z",
  state: "answered",
  knowledgeBaseId: "0b7e4c92-5d1a-4f38-b6c7-e9a2d3f48c10",
  documentId: "4f8c2b61-9a3d-4e75-8c10-d7b6e5f2a934",
} as const;

export const UNANSWERED_EXAMPLES = {
  unansweredGroup: group,
  unansweredReport: {
    ...group,
    asking: false,
    questions: [{
      runId: group.id,
      conversationId: "d20e6b83-97f4-4c1a-b5d8-0a3e7f6c9214",
      question: "Is there caravan parking?",
      reasons: ["nothing_found", "rated_down"],
      at: group.lastAt,
      again: {
        before: "I found nothing about that.",
        after: "Yes: caravans may park behind the shop, for five euros a night.",
        sources: ["Parking"],
        coverage: "enough",
        foundDocument: true,
        finishReason: "stop",
        costUsd: 0.0021,
        at: "2026-01-15T10:05:00.000Z",
      },
    }],
  },
} as const;
