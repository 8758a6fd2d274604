import { assert, assertEquals } from "@std/assert";
import { answerFeedback } from "./answer_feedback.ts";
import type { TranscriptMessage } from "../../state.ts";
import { createServiceCall } from "../service_call.ts";

const ok = () => new Response(null, { status: 204 });

function setUp(answers: (() => Response | Promise<Response>)[]) {
  const sent: { method: string; token: string | null; body: unknown }[] = [];
  const tokens = ["first", "second"];
  const callService = createServiceCall({
    apiBase: "https://chat.example",
    session: {
      token: () => Promise.resolve(tokens[0]!),
      renew: () => Promise.resolve(tokens.length > 1 && tokens.shift() !== undefined),
    },
    fetcher: ((url: string, { method, headers, body }: RequestInit) => {
      assertEquals(url, "https://chat.example/v1/chat/runs/run-1/feedback");
      const token = new Headers(headers).get("x-service-session");
      sent.push({ method: method!, token, body: body ? JSON.parse(String(body)) : undefined });
      return Promise.resolve().then(() => answers.shift()!());
    }) as typeof fetch,
  });
  const feedback = answerFeedback({ callService, changed: () => {} });
  const turn: TranscriptMessage = { id: 1, role: "assistant", text: "Yes.", run: "run-1" };
  return { feedback, turn, sent };
}

Deno.test("answerFeedback: a rating shows at once, and the same one again withdraws it", async () => {
  const { feedback, turn, sent } = setUp([ok, ok]);
  const rated = feedback.rate(turn, "up");
  assertEquals(turn.rating, "up");
  assert(await rated);
  assert(await feedback.rate(turn, "up"));
  assertEquals(turn.rating, undefined);
  assertEquals(sent.map(({ method, body }) => [method, body]), [
    ["PUT", { rating: "up" }],
    ["DELETE", undefined],
  ]);
});

Deno.test("answerFeedback: a thumb down asks for a comment, until it is stored", async () => {
  const { feedback, turn, sent } = setUp([ok, () => new Response(null, { status: 503 }), ok]);
  await feedback.rate(turn, "down");
  assertEquals(feedback.asking, turn);
  assertEquals(await feedback.comment(turn, "Wrong price"), false);
  assertEquals([feedback.asking, turn.rating], [turn, "down"]);
  assert(await feedback.comment(turn, "Wrong price"));
  assertEquals(feedback.asking, undefined);
  assertEquals(sent.at(-1)?.body, { rating: "down", comment: "Wrong price" });
});

Deno.test("answerFeedback: clicks are sent in order, and a rejected one is undone unless another followed", async () => {
  const slow = Promise.withResolvers<Response>();
  const { feedback, turn, sent } = setUp([() => slow.promise, ok]);
  const first = feedback.rate(turn, "down");
  const second = feedback.rate(turn, "up");
  slow.resolve(new Response(null, { status: 500 }));
  assertEquals([await first, await second, turn.rating], [false, true, "up"]);
  assertEquals(sent.map(({ body }) => body), [{ rating: "down" }, { rating: "up" }]);
  const offline = setUp([() => Promise.reject(new TypeError("offline"))]);
  assertEquals(await offline.feedback.rate(offline.turn, "up"), false);
  assertEquals(offline.turn.rating, undefined);
});

Deno.test("answerFeedback: an expired token is renewed once", async () => {
  const expired = () => new Response(null, { status: 401 });
  const { feedback, turn, sent } = setUp([expired, ok, expired]);
  assert(await feedback.rate(turn, "up"));
  assertEquals(sent.map(({ token }) => token), ["first", "second"]);
  assertEquals(await feedback.rate(turn, "down"), false);
  assertEquals(turn.rating, "up");
});

Deno.test("answerFeedback: an answer that the service does not know can no longer be rated", async () => {
  const { feedback, turn } = setUp([() => new Response(null, { status: 404 })]);
  assertEquals(await feedback.rate(turn, "up"), false);
  assertEquals([turn.run, turn.rating], [undefined, undefined]);
});

Deno.test("answerFeedback: the form stays away once the rating was changed before its comment was stored", async () => {
  const slow = Promise.withResolvers<Response>();
  const { feedback, turn, sent } = setUp([ok, () => slow.promise, ok]);
  await feedback.rate(turn, "down");
  const commented = feedback.comment(turn, "Wrong price");
  const rated = feedback.rate(turn, "up");
  slow.resolve(ok());
  assertEquals([await commented, await rated], [true, true]);
  assertEquals([turn.rating, feedback.asking], ["up", undefined]);
  assertEquals(sent.at(-1)?.body, { rating: "up" });
});
