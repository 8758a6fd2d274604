import { assertEquals, assertRejects } from "@std/assert";
import { reject, RUN, TOKEN } from "../../../tests/support/widget_conversation.ts";
import { ChatError } from "../../../widget/client/client.ts";
import { feedback, type FeedbackOptions } from "./feedback.ts";

interface Sent {
  method: string | undefined;
  url: string;
  token: string | null;
  body: unknown;
}

function setUp(answers: (() => Response)[], options: Partial<FeedbackOptions> = {}) {
  const sent: Sent[] = [];
  const fetcher = ((url: string, { method, headers, body }: RequestInit) => {
    const token = new Headers(headers).get("x-service-session");
    sent.push({ method, url, token, body: body ? JSON.parse(String(body)) : undefined });
    return Promise.resolve().then(() => answers.shift()!());
  }) as typeof fetch;
  const of = { apiBase: "https://chat.example/", runId: RUN, sessionToken: TOKEN, fetch: fetcher };
  return { ofAnswer: feedback({ ...of, ...options }), sent };
}

const noContent = () => new Response(null, { status: 204 });

Deno.test("feedback: sets, reads and withdraws what the visitor thinks", async () => {
  const stored = { rating: "up", ratedAt: "2026-01-15T12:00:00.000Z" };
  const { ofAnswer, sent } = setUp([noContent, () => Response.json(stored), noContent]);
  await ofAnswer.set({ rating: "up", reasons: ["tone"] });
  assertEquals(await ofAnswer.get() as unknown, stored);
  await ofAnswer.withdraw();
  const url = `https://chat.example/v1/chat/runs/${RUN}/feedback`;
  assertEquals(sent, [
    { method: "PUT", url, token: TOKEN, body: { rating: "up", reasons: ["tone"] } },
    { method: "GET", url, token: TOKEN, body: undefined },
    { method: "DELETE", url, token: TOKEN, body: undefined },
  ]);
});

Deno.test("feedback: an answer that is not rated is undefined", async () => {
  const { ofAnswer } = setUp([() => reject(404, "not_found")]);
  assertEquals(await ofAnswer.get(), undefined);
});

Deno.test("feedback: an expired token is renewed once", async () => {
  const expired = () => reject(401, "session_token_invalid");
  const sessionToken = (rejected: string) => rejected === "" ? "old" : "new";
  const { ofAnswer, sent } = setUp([expired, noContent], { sessionToken });
  await ofAnswer.set({ rating: "down" });
  assertEquals(sent.map(({ token }) => token), ["old", "new"]);
  const again = setUp([expired, expired], { sessionToken });
  const error = await assertRejects(() => again.ofAnswer.withdraw(), ChatError);
  assertEquals([error.code, error.status], ["session_token_invalid", 401]);
});

Deno.test("feedback: a rejection, a lost connection and a missing token are a ChatError", async () => {
  const rejected = setUp([() => reject(409, "run_not_ended")]).ofAnswer;
  const error = await assertRejects(() => rejected.set({ rating: "up" }), ChatError);
  assertEquals([error.code, error.status], ["run_not_ended", 409]);
  const lost = () => {
    throw new TypeError("connection refused");
  };
  const offline = await assertRejects(() => setUp([lost]).ofAnswer.get(), ChatError);
  assertEquals([offline.code, offline.status], ["network_error", 0]);
  const { ofAnswer, sent } = setUp([], { sessionToken: () => "" });
  const missing = await assertRejects(() => ofAnswer.get(), ChatError);
  assertEquals([missing.code, sent.length], ["session_token_missing", 0]);
});
