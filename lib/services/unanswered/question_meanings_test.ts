import { assertEquals } from "@std/assert";
import { createLogger } from "../../platform/log.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { QuestionMeanings } from "./question_meanings.ts";

function open(fail: () => boolean = () => false) {
  const embedded: string[][] = [];
  const embedder = {
    model: "vendor_a/emb",
    embed: (texts: readonly string[]) => {
      if (fail()) return Promise.reject(new Error("no money"));
      embedded.push([...texts]);
      return Promise.resolve(texts.map((text) => [text.length, 0, 0]));
    },
  };
  return {
    embedded,
    meanings: new QuestionMeanings({
      embedder,
      runtime: systemRuntime,
      log: createLogger({ level: "error", json: true, write: () => {} }),
    }),
  };
}

Deno.test("QuestionMeanings: embeds each question of a tenant once, in batches of 64", async () => {
  const { embedded, meanings } = open();
  const questions = Array.from({ length: 100 }, (_, n) => `Question ${n}`);
  const vectors = await meanings.vectorsOf("t", [...questions, "Question 1"]);
  assertEquals(vectors!.length, 101);
  assertEquals(vectors!.every((vector) => Math.abs(Math.hypot(...vector) - 1) < 1e-6), true);
  assertEquals(embedded.map(({ length }) => length), [64, 36]);
  await meanings.vectorsOf("t", questions);
  assertEquals(embedded.length, 2);
  await meanings.vectorsOf("other", ["Question 1"]);
  assertEquals(embedded.length, 3);
});

Deno.test("QuestionMeanings: a failure is no vectors, and is tried again", async () => {
  let isDown = true;
  const { meanings } = open(() => isDown);
  assertEquals(await meanings.vectorsOf("t", ["a"]), undefined);
  isDown = false;
  assertEquals((await meanings.vectorsOf("t", ["a"]))!.length, 1);
});
