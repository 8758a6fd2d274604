/** Every uploaded file ends as ready or failed, and none harms the service. */
import { assert, assertEquals } from "@std/assert";
import { expectJson } from "./support/expect_response.ts";
import { contentOf, HOSTILE_FILES } from "./support/hostile_files.ts";
import { openKnowledge } from "./support/knowledge.ts";

Deno.test("POST …/documents: each of 110 hostile files ends as ready, or failed with a reason, and the service stays up", async (t) => {
  assert(HOSTILE_FILES.length >= 110);
  await using knowledge = await openKnowledge();
  const { upload, settled, service } = knowledge;
  for (const file of HOSTILE_FILES) {
    await t.step(`${file.name}: ${file.ends}`, async () => {
      const document = await settled(await upload(file.name, await contentOf(file)));
      const ended = document.state === "ready" ? "ready" : document.error?.code;
      if (file.ends !== "either") assertEquals(ended, file.ends);
      assert(ended !== undefined && document.state !== "processing");
      if (document.error !== undefined) assert(document.error.message.length > 10);
      assertEquals((await expectJson(await service.fetch("/healthz"), 200)).status, "ok");
    });
  }
  assertEquals(service.logged.filter((line) => line.includes('"level":"error"')), []);
});
